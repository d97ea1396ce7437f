#include <unity.h>
#include "base/digest.h"

void setUp(void)
{
}

void tearDown(void)
{
}

/* Bytes 0, 1, 2, … modulo 251, as Python's hashlib.blake2b(digest_size=32) digests
 * them. */
static const struct {
    size_t length;
    const char *hex;
} vectors[] = {
    {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
    {1, "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"},
    {127, "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72"},
    {128, "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"},
    {129, "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9"},
    {255, "d9ef0fc521b4266d16df662bec231bc2ec3989e7adeaf63169c295dc239dbbea"},
    {256, "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24"},
    {257, "227e15ed64ee8e93eb7bc53828f76eed974f2c4ab1408c3d08f212b7f8d69904"},
    {1000, "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331"},
};

static void check(size_t vector, size_t piece)
{
    uint8_t bytes[1000], out[WF_DIGEST_BYTES];
    char hex[WF_DIGEST_HEX];
    wf_digest digest;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i % 251);
    wf_digest_init(&digest);
    for (size_t at = 0; at < vectors[vector].length; at += piece) {
        size_t left = vectors[vector].length - at;

        wf_digest_add(&digest, bytes + at, left < piece ? left : piece);
    }
    wf_digest_end(&digest, out);
    wf_digest_hex(out, hex);
    TEST_ASSERT_EQUAL_STRING(vectors[vector].hex, hex);
}

static void known_answers_whole_and_in_pieces(void)
{
    static const size_t pieces[] = {1000, 1, 7, 64, 127, 128, 129};

    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++)
            check(i, pieces[j]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(known_answers_whole_and_in_pieces);
    return UNITY_END() != 0;
}
