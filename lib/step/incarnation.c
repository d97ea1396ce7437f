/* The incarnation: what tells the id of an invocation or effect from that of other work at the same
 * revision, after a backup was restored, an instance was removed and started again, or the last
 * commits were lost. It is a digest of what the id builds on: the record before, the name of the
 * agent or event, and its input. So the same work has the same id each time. */
#include "step/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/buffer.h"
#include "base/error.h"
#include "base/invariant.h"
#include "logic/json.h"

void wf_step_builds_on(wf_step *step, const char digest[WF_DIGEST_HEX])
{
    WF_INVARIANT(digest[0] != '\0');
    memcpy(step->builds_on, digest, WF_DIGEST_HEX);
}

/* A child has no session in it: started once more, its work has the same ids. */
void wf_step_first(wf_step *step, const wf_beginning *by)
{
    const char *text = by->parent ? by->parent : by->session;
    uint8_t made[WF_DIGEST_BYTES];
    char begins[64] = "child ";
    wf_digest digest;
    if (!by->parent)
        snprintf(begins, sizeof begins, "start %" PRIu64 " %" PRId64 " ", by->number,
                 step->snapshot->now);
    wf_digest_init(&digest);
    wf_digest_add(&digest, begins, strlen(begins));
    wf_digest_add(&digest, text, strlen(text));
    wf_digest_end(&digest, made);
    wf_digest_hex(made, step->builds_on);
}

static uint64_t incarnation_of(const wf_step *step, const wf_value *name, const wf_buffer *text)
{
    uint8_t made[WF_DIGEST_BYTES];
    uint64_t number = 0;
    wf_digest digest;
    wf_digest_init(&digest);
    wf_digest_add(&digest, step->builds_on, sizeof step->builds_on);
    wf_digest_add(&digest, name->as.text, name->length);
    wf_digest_add(&digest, "", 1);
    wf_digest_add(&digest, text->data, text->length);
    wf_digest_end(&digest, made);
    for (int i = 0; i < WF_INCARNATION_BITS / 8; i++)
        number = number << 8 | made[i];
    return number != 0 ? number : 1;
}

int32_t wf_incarnation(wf_step *step, const wf_value *name, const wf_value *input,
                       uint64_t *incarnation)
{
    wf_buffer text;
    *incarnation = 0;
    if (step->builds_on[0] == '\0')
        return WFSM_OK;
    WF_INVARIANT(name->type == WF_STRING);
    wf_buffer_init(&text, step->allocator);
    wf_json_write(&text, input);
    bool written = !text.failed;
    if (written)
        *incarnation = incarnation_of(step, name, &text);
    wf_buffer_fini(&text);
    return written ? WFSM_OK : wf_no_memory(step->error);
}

static char *put_number(char *at, char before, uint64_t number)
{
    *at++ = before;
    return at + wf_integer_text((int64_t)number, at);
}

/* An id is made for every call of an agent; snprintf would take a thousand instructions. */
void wf_work_id(char out[WF_WORK_ID_BYTES], const char *instance, const wf_work *work)
{
    size_t length = strlen(instance);
    char *at = out + length;
    WF_INVARIANT(length <= WF_WORK_ID_BYTES - 64); /* the numbers need 49 */
    memcpy(out, instance, length);
    at = put_number(at, '/', work->revision);
    at = put_number(at, '/', work->ordinal);
    if (work->incarnation != 0)
        put_number(at, '-', work->incarnation);
}

/* A decimal number from 1, without leading zeros. *text is behind it afterwards. */
static bool read_number(const char **text, uint64_t most, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    if (*at < '1' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        *number = *number * 10 + (uint64_t)(*at - '0');
        if (*number > most)
            return false;
    }
    *text = at;
    return true;
}

bool wf_work_read(const char *id, const char *instance, wf_work *work)
{
    size_t length = strlen(instance);
    uint64_t ordinal;
    *work = (wf_work){0};
    if (strncmp(id, instance, length) != 0 || id[length] != '/')
        return false;
    id += length + 1;
    if (!read_number(&id, (uint64_t)WF_NUMBER_MOST, &work->revision) || *id++ != '/' ||
        !read_number(&id, UINT32_MAX, &ordinal))
        return false;
    work->ordinal = (uint32_t)ordinal;
    if (*id == '\0')
        return true;
    return *id++ == '-' && read_number(&id, WF_MOST_INCARNATION, &work->incarnation) &&
           *id == '\0';
}
