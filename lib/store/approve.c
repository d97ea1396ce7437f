/* store/approve.c: the vote of a person is posted. The step checks its digest when the owner of
 * the instance takes it. */
#include "store/approve.h"

#include <inttypes.h>
#include <string.h>

#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "step/step.h"

static bool is_text(const char *text)
{
    return wf_utf8_valid(text, strlen(text));
}

static bool is_hex(const char *text, size_t digits)
{
    return strspn(text, "0123456789abcdef") == digits && strlen(text) == digits;
}

static const char *signature_objection(const wfsm_approval *given)
{
    if (!given->key && !given->signature)
        return given->signed_at == 0 ? NULL : "signed_at belongs to a signature";
    if (!given->key || !given->signature)
        return "a signed vote has a key and a signature";
    if (!is_hex(given->key, 64) || !is_hex(given->signature, 128))
        return "a key has 64 hexadecimal digits and a signature 128, in lower case";
    return given->signed_at >= 0 && given->signed_at <= WF_NUMBER_MOST
               ? NULL
               : "signed_at is from 0 to 2^53";
}

static const char *objection(const wfsm_approval *given)
{
    if (!given->invocation || !is_text(given->invocation))
        return "the invocation of an approval is not set, or not UTF-8";
    if (!given->by || !wf_id_valid(given->by))
        return "the voter of an approval must be 1 to 255 bytes of UTF-8";
    if (given->decision != WFSM_APPROVE && given->decision != WFSM_REJECT)
        return "the decision of an approval is WFSM_APPROVE or WFSM_REJECT";
    if (!given->digest || !is_text(given->digest))
        return "the digest of an approval is not set, or not UTF-8";
    if (given->reason && !is_text(given->reason))
        return "the reason of an approval is not UTF-8";
    if (given->id && !wf_id_valid(given->id))
        return "the id of an approval must be 1 to 255 bytes of UTF-8";
    return signature_objection(given);
}

int32_t wf_approval_check(wfsm_approval *room, const wfsm_approval *given, wfsm_error *error)
{
    if (!wf_struct_check(room, sizeof *room, given, WF_SIZE_UP_TO(wfsm_approval, id)))
        return wf_fail(error, WFSM_INVALID, "the approval, or its size, is not set");
    const char *why = objection(room);
    if (why)
        return wf_fail(error, WFSM_INVALID, "%s", why);
    return wf_origin_check(room->interface, room->sender, error);
}

static void write_member(wf_buffer *out, const char *key, const char *text)
{
    wf_buffer_format(out, "%c\"%s\":", out->length == 0 ? '{' : ',', key);
    wf_json_write_text(out, text, strlen(text));
}

void wf_approval_write(wf_buffer *out, const wfsm_approval *given)
{
    write_member(out, "invocation", given->invocation);
    write_member(out, "by", given->by);
    write_member(out, "decision", given->decision == WFSM_APPROVE ? "approve" : "reject");
    write_member(out, "digest", given->digest);
    if (given->reason)
        write_member(out, "reason", given->reason);
    if (given->signature)
        wf_buffer_format(out,
                         ",\"signed\":{\"at\":%" PRId64 ",\"key\":\"%s\",\"signature\":\"%s\"}",
                         given->signed_at, given->key, given->signature);
    wf_buffer_byte(out, '}');
}

int32_t wfsm_approve(wfsm_store *store, const wfsm_approval *approval, int64_t now,
                     wfsm_error *error)
{
    wfsm_approval given;
    wf_buffer data;
    int32_t status = wf_store_ready(store, error);
    if (!status)
        status = wf_approval_check(&given, approval, error);
    if (!status)
        status = wf_store_check_id(given.instance, "the id of an instance", error);
    if (!status && now < 0)
        status = wf_fail(error, WFSM_INVALID, "a time must not be negative");
    if (status)
        return status;
    wf_buffer_init(&data, &store->allocator);
    wf_approval_write(&data, &given);
    if (data.failed)
        status = wf_no_memory(error);
    else
        status =
            wfsm_store_submit(store,
                              &(wfsm_post){.size = sizeof(wfsm_post),
                                           .instance = given.instance,
                                           .id = given.id,
                                           .data = data.data,
                                           .length = data.length,
                                           .now = now,
                                           .kind = WFSM_POST_APPROVAL,
                                           .interface = given.interface,
                                           .sender = given.sender ? given.sender : given.by},
                              error);
    wf_buffer_fini(&data);
    return status;
}
