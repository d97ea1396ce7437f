/*
 * wfsm/sign.h: signed votes, part of libwfsm-agents. A signature (Ed25519, RFC 8032, by libsodium)
 * shows that the owner of a key gave exactly this vote: it covers the instance, the invocation, the
 * voter's name, the digest of what was asked, the decision, the reason and the time.
 *
 * wfsm keeps a signature with its vote and does not check it when it counts the vote: anybody who has
 * the journal and the public keys can check it at any time. Who owns a key, you say (doc/security.md).
 *
 * A public key is written to WFSM_KEY_SIZE bytes, a signature to WFSM_SIGNATURE_SIZE bytes, which are
 * yours. In a build without libsodium, every call returns INVALID and says so.
 */
#ifndef WFSM_SIGN_H
#define WFSM_SIGN_H

#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WFSM_KEY_SIZE = 65,       /* a public key as 64 hexadecimal digits, with its NUL */
    WFSM_SIGNATURE_SIZE = 129 /* a signature as 128 hexadecimal digits, with its NUL */
};

/*
 * Makes a key, writes its secret part into the new file `path`, which only the owner can read, and
 * gives its public part. EXISTS: there is such a file, or a link. IO: it cannot be written. INVALID.
 * Since 0.1.
 */
WFSM_API int32_t wfsm_key_make(const char *path, char *public_key, wfsm_error *error);
/*
 * Gives the public part of the key in the file `path`. DENIED: somebody else than the owner can read
 * the file. IO, INVALID (there is no key in it), NO_MEMORY. Since 0.1.
 */
WFSM_API int32_t wfsm_key_public(const char *path, char *public_key, wfsm_error *error);
/*
 * Signs the vote with the key in the file `path`. You set all of the vote but its key and signature,
 * with signed_at in milliseconds; then you set those two to what this call gives, and pass the vote to
 * wfsm_approve(). INVALID: the vote is not complete. The rest as wfsm_key_public(). Since 0.1.
 */
WFSM_API int32_t wfsm_vote_sign(const wfsm_approval *vote, const char *path, char *public_key,
                                char *signature, wfsm_error *error);
/*
 * OK if the signature is that of the vote's key for exactly this vote. DENIED: it is not. INVALID: the
 * vote is not complete, or has no signature. NO_MEMORY. Since 0.1.
 */
WFSM_API int32_t wfsm_vote_verify(const wfsm_approval *vote, wfsm_error *error);

#ifdef __cplusplus
}
#endif

#endif
