#include "wfsm/vote_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sign.h>
#include "wfsm/record.h"

/* ---- the file ---- */

static bool is_key(const char *text)
{
    return strlen(text) == WFSM_KEY_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == WFSM_KEY_SIZE - 1;
}

/* A name may have blanks. */
static bool add_line(json_t *keys, char *line)
{
    char *key = strrchr(line, ' ');
    if (*line == '\0' || *line == '#')
        return true;
    if (!key || key == line || !is_key(key + 1))
        return false;
    *key++ = '\0';
    json_t *list = json_object_get(keys, line);
    if (!list && json_object_set_new(keys, line, cli_need(json_array())) != 0)
        return false;
    return json_array_append_new(json_object_get(keys, line), json_string(key)) == 0;
}

json_t *vote_keys_read(const char *path)
{
    json_t *keys = cli_need(json_object());
    cli_text text = {0};
    bool good = cli_read_file(path, &text);
    int number = 0;
    for (char *line = text.data, *next; good && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        good = add_line(keys, line);
        if (!good)
            cli_say("%s:%d: expected a name, a blank and a key of 64 hexadecimal digits", path,
                    number);
    }
    cli_text_free(&text);
    if (good)
        return keys;
    json_decref(keys);
    return NULL;
}

/* ---- votes ---- */

json_t *vote_counted(const json_t *record)
{
    static const char *const members[] = {"invocation", "by",     "decision",
                                          "digest",     "reason", "signed"};
    json_t *input = json_object_get(record, "input"), *data = json_object_get(input, "data");
    const char *verdict = record_string(input, "verdict");
    if (strcmp(record_string(input, "kind"), "approval") != 0 ||
        (strcmp(verdict, "counted") != 0 && strcmp(verdict, "decided") != 0))
        return NULL;
    json_t *vote = cli_need(json_object());
    json_object_set(vote, "revision", json_object_get(record, "revision"));
    json_object_set(vote, "time", json_object_get(record, "now"));
    json_object_set(vote, "verdict", json_object_get(input, "verdict"));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_object_get(data, members[i]))
            json_object_set(vote, members[i], json_object_get(data, members[i]));
    return vote;
}

static const char *text_or_null(const json_t *vote, const char *key)
{
    return json_string_value(json_object_get(vote, key));
}

static bool is_key_of(const json_t *keys, const char *name, const char *key)
{
    const json_t *own = json_object_get(keys, name), *one;
    size_t index;
    json_array_foreach(own, index, one)
    {
        if (strcmp(json_string_value(one), key) == 0)
            return true;
    }
    return false;
}

/* NULL: it is right. */
static const char *checked(const char *instance, const json_t *vote, const json_t *mark)
{
    bool approves = strcmp(record_string(vote, "decision"), "approve") == 0;
    const wfsm_approval approval = {.size = sizeof approval,
                                    .instance = instance,
                                    .invocation = text_or_null(vote, "invocation"),
                                    .by = text_or_null(vote, "by"),
                                    .digest = text_or_null(vote, "digest"),
                                    .decision = approves ? WFSM_APPROVE : WFSM_REJECT,
                                    .reason = text_or_null(vote, "reason"),
                                    .signed_at =
                                        json_integer_value(json_object_get(mark, "at")),
                                    .key = text_or_null(mark, "key"),
                                    .signature = text_or_null(mark, "signature")};
    switch (wfsm_vote_verify(&approval, NULL)) {
    case WFSM_OK:
        return NULL;
    case WFSM_DENIED:
        return "has a signature that is not of this vote";
    default: /* without libsodium, too */
        return "has no signature that this build of wfsm can check";
    }
}

bool vote_is_signed(const json_t *keys, const char *instance, const json_t *vote,
                    char why[VOTE_WHY_BYTES])
{
    const json_t *mark = json_object_get(vote, "signed");
    const char *by = record_string(vote, "by"), *wrong = NULL;
    if (!mark)
        wrong = "is not signed";
    else if (!is_key_of(keys, by, record_string(mark, "key")))
        wrong = "is not signed with a key of this person";
    else
        wrong = checked(instance, vote, mark);
    if (wrong)
        snprintf(why, VOTE_WHY_BYTES, "the vote of %.200s on %.250s %s", by,
                 record_string(vote, "invocation"), wrong);
    return !wrong;
}
