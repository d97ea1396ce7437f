/* In place of sign.c where there is no libsodium. */
#include <wfsm/sign.h>

static int32_t missing(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_INVALID,
                          "signatures are not in this build: libsodium (the package "
                          "libsodium-dev) was not there when it was configured");
}

int32_t wfsm_key_make(const char *path, char *public_key, wfsm_error *error)
{
    (void)path;
    (void)public_key;
    return missing(error);
}

int32_t wfsm_key_public(const char *path, char *public_key, wfsm_error *error)
{
    (void)path;
    (void)public_key;
    return missing(error);
}

int32_t wfsm_vote_sign(const wfsm_approval *vote, const char *path, char *public_key,
                       char *signature, wfsm_error *error)
{
    (void)vote;
    (void)path;
    (void)public_key;
    (void)signature;
    return missing(error);
}

int32_t wfsm_vote_verify(const wfsm_approval *vote, wfsm_error *error)
{
    (void)vote;
    return missing(error);
}
