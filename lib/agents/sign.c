/* Signed votes (wfsm/sign.h). What is signed is a line of JSON with fixed keys in a fixed order, so
 * that any other program can make it again from a record. */
#include <wfsm/sign.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_error.h"
#include "files.h"

static const char first_word[] = "wfsm-key-1 ";

enum {
    SEED_HEX = 2 * crypto_sign_SEEDBYTES,
    FILE_SIZE = sizeof first_word - 1 + SEED_HEX + 1, /* with a line break */
    KEY_HEX = WFSM_KEY_SIZE - 1,
    SIGNATURE_HEX = WFSM_SIGNATURE_SIZE - 1
};

typedef struct key_pair {
    unsigned char open[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
} key_pair;

static int begin(wfa_error *error)
{
    return sodium_init() < 0 ? wfa_fail(error, "libsodium cannot be used") : 0;
}

static int from_hex(const char *text, size_t length, unsigned char *bytes)
{
    size_t made = 0;

    return strlen(text) == length &&
           sodium_hex2bin(bytes, length / 2, text, length, NULL, &made, NULL) == 0 &&
           made == length / 2;
}

/* ---- key files ---- */

static int write_new(const char *path, const char *text, size_t length, wfa_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int bad;

    if (fd < 0)
        return wfa_fail_as(error, errno == EEXIST ? WFSM_EXISTS : WFSM_IO, "%s: %s", path,
                           strerror(errno));
    bad = wfa_write_all(fd, text, length) != 0 || fsync(fd) != 0 ? errno : 0;
    if (close(fd) != 0 && !bad)
        bad = errno;
    if (!bad)
        return 0;
    (void)unlink(path);
    return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(bad));
}

static int make_key(const char *path, key_pair *pair, wfa_error *error)
{
    unsigned char seed[crypto_sign_SEEDBYTES];
    char text[FILE_SIZE + 1];
    int answer;

    randombytes_buf(seed, sizeof seed);
    (void)crypto_sign_seed_keypair(pair->open, pair->secret, seed);
    memcpy(text, first_word, sizeof first_word - 1);
    (void)sodium_bin2hex(text + sizeof first_word - 1, SEED_HEX + 1, seed, sizeof seed);
    text[FILE_SIZE - 1] = '\n';
    answer = write_new(path, text, FILE_SIZE, error);
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(text, sizeof text);
    return answer;
}

static int check_mode(int fd, const char *path, wfa_error *error)
{
    struct stat about;

    if (fstat(fd, &about) != 0)
        return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return wfa_fail(error, "%s: expected a file", path);
    if (about.st_mode & (S_IRWXG | S_IRWXO))
        return wfa_fail_as(error, WFSM_DENIED,
                           "%s: others can read or write this key; chmod 600 it", path);
    return 0;
}

static int parse_key(char *text, ssize_t length, key_pair *pair)
{
    unsigned char seed[crypto_sign_SEEDBYTES];
    size_t begin_at = sizeof first_word - 1;

    if (length != FILE_SIZE || text[FILE_SIZE - 1] != '\n' ||
        memcmp(text, first_word, begin_at) != 0)
        return 0;
    text[FILE_SIZE - 1] = '\0';
    if (!from_hex(text + begin_at, SEED_HEX, seed))
        return 0;
    (void)crypto_sign_seed_keypair(pair->open, pair->secret, seed);
    sodium_memzero(seed, sizeof seed);
    return 1;
}

static int read_key(const char *path, key_pair *pair, wfa_error *error)
{
    char text[FILE_SIZE + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), answer;
    ssize_t length;

    if (fd < 0)
        return wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
    answer = check_mode(fd, path, error);
    length = answer == 0 ? read(fd, text, sizeof text) : 0;
    if (answer == 0 && length < 0)
        answer = wfa_fail_as(error, WFSM_IO, "%s: %s", path, strerror(errno));
    else if (answer == 0 && !parse_key(text, length, pair))
        answer = wfa_fail(error, "%s: expected a key, as wfsm key makes it", path);
    (void)close(fd);
    sodium_memzero(text, sizeof text);
    return answer;
}

static void give_public(const key_pair *pair, char *public_key)
{
    (void)sodium_bin2hex(public_key, WFSM_KEY_SIZE, pair->open, sizeof pair->open);
}

int32_t wfsm_key_make(const char *path, char *public_key, wfsm_error *error)
{
    wfa_error why;
    key_pair pair;
    int answer;

    if (!path || !public_key)
        return wfsm_error_set(error, WFSM_INVALID, "the path or the public key is NULL");
    answer = begin(&why) == 0 ? make_key(path, &pair, &why) : -1;
    if (answer == 0)
        give_public(&pair, public_key);
    sodium_memzero(&pair, sizeof pair);
    return answer == 0 ? WFSM_OK : wfa_report(&why, error);
}

int32_t wfsm_key_public(const char *path, char *public_key, wfsm_error *error)
{
    wfa_error why;
    key_pair pair;
    int answer;

    if (!path || !public_key)
        return wfsm_error_set(error, WFSM_INVALID, "the path or the public key is NULL");
    answer = begin(&why) == 0 ? read_key(path, &pair, &why) : -1;
    if (answer == 0)
        give_public(&pair, public_key);
    sodium_memzero(&pair, sizeof pair);
    return answer == 0 ? WFSM_OK : wfa_report(&why, error);
}

/* ---- what is signed ---- */

static int is_complete(const wfsm_approval *vote)
{
    return vote && vote->size >= sizeof *vote && vote->instance && vote->invocation &&
           vote->by && vote->digest && vote->signed_at >= 0 &&
           (vote->decision == WFSM_APPROVE || vote->decision == WFSM_REJECT);
}

/* malloc'ed; NULL if a text is not UTF-8, or when out of memory. */
static char *text_of(const wfsm_approval *vote)
{
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:I}", "wfsm", "vote", "instance",
                  vote->instance, "invocation", vote->invocation, "by", vote->by, "decision",
                  vote->decision == WFSM_APPROVE ? "approve" : "reject", "digest", vote->digest,
                  "reason", vote->reason, "at", (json_int_t)vote->signed_at);
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;

    json_decref(line);
    return text;
}

static int not_complete(wfa_error *error)
{
    return wfa_fail(error, "expected a vote with its instance, invocation, voter, digest, "
                           "decision and time, in UTF-8");
}

static int sign(const wfsm_approval *vote, const key_pair *pair, char *signature,
                wfa_error *error)
{
    unsigned char bytes[crypto_sign_BYTES];
    char *text = is_complete(vote) ? text_of(vote) : NULL;

    if (!text)
        return not_complete(error);
    (void)crypto_sign_detached(bytes, NULL, (const unsigned char *)text, strlen(text),
                               pair->secret);
    (void)sodium_bin2hex(signature, WFSM_SIGNATURE_SIZE, bytes, sizeof bytes);
    free(text);
    return 0;
}

int32_t wfsm_vote_sign(const wfsm_approval *vote, const char *path, char *public_key,
                       char *signature, wfsm_error *error)
{
    wfa_error why;
    key_pair pair;
    int answer;

    if (!path || !public_key || !signature)
        return wfsm_error_set(error, WFSM_INVALID, "the path or what receives is NULL");
    answer = begin(&why) == 0 ? read_key(path, &pair, &why) : -1;
    if (answer == 0)
        answer = sign(vote, &pair, signature, &why);
    if (answer == 0)
        give_public(&pair, public_key);
    sodium_memzero(&pair, sizeof pair);
    return answer == 0 ? WFSM_OK : wfa_report(&why, error);
}

static int verify(const wfsm_approval *vote, wfa_error *error)
{
    unsigned char open[crypto_sign_PUBLICKEYBYTES], bytes[crypto_sign_BYTES];
    char *text;
    int bad;

    if (!is_complete(vote))
        return not_complete(error);
    if (!vote->key || !vote->signature || !from_hex(vote->key, KEY_HEX, open) ||
        !from_hex(vote->signature, SIGNATURE_HEX, bytes))
        return wfa_fail(error, "expected a key of %d and a signature of %d hexadecimal digits",
                        KEY_HEX, SIGNATURE_HEX);
    text = text_of(vote);
    if (!text)
        return not_complete(error);
    bad = crypto_sign_verify_detached(bytes, (const unsigned char *)text, strlen(text), open);
    free(text);
    return bad ? wfa_fail_as(error, WFSM_DENIED, "the signature is not that of this vote") : 0;
}

int32_t wfsm_vote_verify(const wfsm_approval *vote, wfsm_error *error)
{
    wfa_error why;

    if (begin(&why) != 0 || verify(vote, &why) != 0)
        return wfa_report(&why, error);
    return WFSM_OK;
}
