/*
 * wfsm/jansson.h: for programs that hold JSON as jansson's json_t. Every call here is a few
 * inline lines around a call of wfsm.h that takes or returns JSON text. libwfsm does not link
 * jansson, and wfsm/wfsm.h does not include this header: your program includes both, and links
 * both (pkg-config: wfsm jansson).
 *
 * Conventions of this header
 * - A json_t that you pass is borrowed. NULL counts as no JSON at all, as NULL does in wfsm.h.
 * - A json_t that a call returns is a new reference; you release it with json_decref(). NULL:
 *   there is nothing to return, or memory ran out.
 * - INVALID, beside the errors of the call itself: jansson cannot write the value. It contains
 *   itself, has a string that is not UTF-8, or memory ran out.
 * - Integers beyond +-2^53, strings that contain U+0000, and more nested levels than
 *   doc/limits.md has are refused, as they are in text. Reals keep every bit.
 */
#ifndef WFSM_JANSSON_H
#define WFSM_JANSSON_H

#include <jansson.h>
#include <string.h>
#include <wfsm/wfsm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compact JSON text of *length bytes and a NUL, which you free with wfsm_json_text_free(). NULL:
 * value is NULL, or jansson cannot write it. */
static inline char *wfsm_json_text(const json_t *value, size_t *length)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    *length = text ? strlen(text) : 0;
    return text;
}

/* Frees the text with the function that jansson was told to free with. NULL is fine. */
static inline void wfsm_json_text_free(char *text)
{
    json_malloc_t allocate;
    json_free_t release;

    json_get_alloc_funcs(&allocate, &release);
    if (text)
        release(text);
}

/* The value of JSON text that wfsm wrote. text may be NULL. */
static inline json_t *wfsm_json_value(const char *text, size_t length)
{
    return text ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL;
}

/* Fills in *error for a value that jansson cannot write. */
static inline int32_t wfsm_json_unwritten(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_INVALID,
                          "expected a json_t that jansson can write as UTF-8 text");
}

/* Fills in *error for a struct that is NULL, or whose size is not set. */
static inline int32_t wfsm_json_missized(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_INVALID, "expected a struct with its size set");
}

/*
 * Questions. `get` is the call of wfsm.h that returns the text:
 *
 *     json_t *context = wfsm_instance_json(instance, wfsm_instance_context);
 *
 * and likewise configuration, output, record, log, invocations, timers, events and failures.
 */
static inline json_t *wfsm_instance_json(wfsm_instance *instance,
                                         const char *(*get)(wfsm_instance *, size_t *))
{
    size_t length = 0;
    const char *text = get(instance, &length);

    return wfsm_json_value(text, length);
}

/* The same in a callback: wfsm_call_json(call, wfsm_call_input), and params, context, event,
 * schema, record and log. */
static inline json_t *wfsm_call_json(wfsm_call *call, const char *(*get)(wfsm_call *, size_t *))
{
    size_t length = 0;
    const char *text = get(call, &length);

    return wfsm_json_value(text, length);
}

/* Inputs of an instance that you use without an engine (wfsm/instance.h). Each call needs a struct
 * of which you set `size`, as of any other; INVALID if you do not. */

/* wfsm_instance_start() with a json_t as input, an object; NULL: none. The input and length of
 * *options are ignored. */
static inline int32_t wfsm_instance_start_json(wfsm_instance **instance, wfsm_machine *machine,
                                               const wfsm_start_options *options,
                                               const json_t *input, int64_t now,
                                               wfsm_error *error)
{
    size_t length;
    wfsm_start_options given;
    char *text;
    int32_t status;

    if (!options || options->size != sizeof given)
        return wfsm_json_missized(error);
    text = wfsm_json_text(input, &length);
    given = *options;
    given.input = text;
    given.length = length;
    status = input && !text ? wfsm_json_unwritten(error)
                            : wfsm_instance_start(instance, machine, &given, now, error);
    wfsm_json_text_free(text);
    return status;
}

/* A wfsm_event whose data is a json_t. */
typedef struct wfsm_json_event {
    size_t size;
    const char *name; /* as in wfsm_event */
    const char *id; /* as in wfsm_event; may be NULL */
    const json_t *data; /* NULL: null */
} wfsm_json_event;

/* wfsm_instance_send() with a json_t as data. */
static inline int32_t wfsm_instance_send_json(wfsm_instance *instance,
                                              const wfsm_json_event *event, int64_t now,
                                              int32_t *outcome, wfsm_error *error)
{
    size_t length;
    wfsm_event given;
    char *text;
    int32_t status;

    if (!event || event->size != sizeof *event)
        return wfsm_json_missized(error);
    text = wfsm_json_text(event->data, &length);
    memset(&given, 0, sizeof given);
    given.size = sizeof given;
    given.name = event->name;
    given.id = event->id;
    given.data = text;
    given.length = length;
    status = event->data && !text ? wfsm_json_unwritten(error)
                                  : wfsm_instance_send(instance, &given, now, outcome, error);
    wfsm_json_text_free(text);
    return status;
}

/* A wfsm_result whose output is a json_t. */
typedef struct wfsm_json_result {
    size_t size;
    const char *invocation; /* as in wfsm_result */
    const json_t *output; /* NULL: null */
    const wfsm_report *report; /* as in wfsm_result; may be NULL */
} wfsm_json_result;

/* wfsm_instance_result() with a json_t as output. A failure has no JSON: use
 * wfsm_instance_failure(). */
static inline int32_t wfsm_instance_result_json(wfsm_instance *instance,
                                                const wfsm_json_result *result, int64_t now,
                                                int32_t *outcome, wfsm_error *error)
{
    size_t length;
    wfsm_result given;
    char *text;
    int32_t status;

    if (!result || result->size != sizeof *result)
        return wfsm_json_missized(error);
    text = wfsm_json_text(result->output, &length);
    memset(&given, 0, sizeof given);
    given.size = sizeof given;
    given.invocation = result->invocation;
    given.output = text;
    given.length = length;
    given.report = result->report;
    status = result->output && !text
                 ? wfsm_json_unwritten(error)
                 : wfsm_instance_result(instance, &given, now, outcome, error);
    wfsm_json_text_free(text);
    return status;
}

/* wfsm_instance_patch() with a json_t, an object. */
static inline int32_t wfsm_instance_patch_json(wfsm_instance *instance, const json_t *object,
                                               int64_t now, int32_t *outcome, wfsm_error *error)
{
    size_t length;
    char *text = wfsm_json_text(object, &length);
    int32_t status = object && !text
                         ? wfsm_json_unwritten(error)
                         : wfsm_instance_patch(instance, text, length, now, outcome, error);

    wfsm_json_text_free(text);
    return status;
}

/* Answers of callbacks. */

/* wfsm_call_done() with a json_t. */
static inline int32_t wfsm_call_done_json(wfsm_call *call, const json_t *output)
{
    size_t length;
    char *text = wfsm_json_text(output, &length);
    int32_t status = wfsm_call_done(call, text, length);

    wfsm_json_text_free(text);
    return status;
}

/* wfsm_call_patch() with a json_t, an object. */
static inline int32_t wfsm_call_patch_json(wfsm_call *call, const json_t *object)
{
    size_t length;
    char *text = wfsm_json_text(object, &length);
    int32_t status = wfsm_call_patch(call, text, length);

    wfsm_json_text_free(text);
    return status;
}

/* The engine. */

/* wfsm_engine_start() with a json_t as input, an object; NULL: none. */
static inline int32_t wfsm_engine_start_json(wfsm_engine *engine, const char *machine,
                                             const char *id, const json_t *input, int64_t now,
                                             wfsm_error *error)
{
    size_t length;
    char *text = wfsm_json_text(input, &length);
    int32_t status = input && !text
                         ? wfsm_json_unwritten(error)
                         : wfsm_engine_start(engine, machine, id, text, length, now, error);

    wfsm_json_text_free(text);
    return status;
}

/* wfsm_engine_send() with a json_t as data: sends the event to the instance `id`. */
static inline int32_t wfsm_engine_send_json(wfsm_engine *engine, const char *id,
                                            const wfsm_json_event *event, int64_t now,
                                            int32_t *outcome, wfsm_error *error)
{
    size_t length;
    char *text;
    int32_t status;

    if (!event || event->size != sizeof *event)
        return wfsm_json_missized(error);
    text = wfsm_json_text(event->data, &length);
    status = event->data && !text ? wfsm_json_unwritten(error)
                                  : wfsm_engine_send(engine, id, event->name, event->id, text,
                                                     length, now, outcome, error);
    wfsm_json_text_free(text);
    return status;
}

/* wfsm_engine_result() with a json_t as output; NULL: null. */
static inline int32_t wfsm_engine_result_json(wfsm_engine *engine, const char *invocation,
                                              const json_t *output, int64_t now,
                                              int32_t *outcome, wfsm_error *error)
{
    size_t length;
    char *text = wfsm_json_text(output, &length);
    int32_t status = output && !text ? wfsm_json_unwritten(error)
                                     : wfsm_engine_result(engine, invocation, text, length, now,
                                                          outcome, error);

    wfsm_json_text_free(text);
    return status;
}

#ifdef __cplusplus
}
#endif
#endif
