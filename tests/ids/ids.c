#include "ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID = 400, TEXT = 8000, BUFFERS = 8 };

/* ---- one piece of work ---- */

typedef struct search {
    char begins[100];
    char incarnation[40];
} search;

static int32_t look(void *user, const wfsm_row *row)
{
    search *self = user;
    const char *found = row->text;

    /* The last one: before it, a fork and a restore have the state that they begin with. */
    while ((found = strstr(found, self->begins))) {
        found += strlen(self->begins);
        snprintf(self->incarnation, sizeof self->incarnation, "-%.*s",
                 (int)strspn(found, "0123456789"), found);
    }
    return WFSM_OK;
}

/* Adds the incarnation, which the record of that revision has. */
static void name_work(wfsm_store *store, char id[ID], unsigned long revision,
                      unsigned long ordinal)
{
    search self = {.incarnation = ""};
    size_t length;

    snprintf(self.begins, sizeof self.begins,
             "\"revision\":%lu,\"ordinal\":%lu,\"incarnation\":", revision, ordinal);
    (void)wfsm_store_records(store, id, revision, revision, look, &self, NULL);
    length = strlen(id);
    snprintf(id + length, ID - length, "/%lu/%lu%s", revision, ordinal, self.incarnation);
}

static void name_child(char id[ID], size_t root, unsigned long attempt)
{
    char of[ID + 24], digest[WFSM_DIGEST_SIZE];

    snprintf(of, sizeof of, "%s/%lu", id, attempt);
    (void)wfsm_digest(of, strlen(of), digest);
    snprintf(id + root, ID - root, "/%.16s", digest);
}

/* ---- names ---- */

/* Reads "/NUMBER". */
static int number(const char **at, const char *end, unsigned long *value)
{
    char *behind;

    if (*at == end || **at != '/' || !strchr("123456789", (*at)[1]))
        return 0;
    *value = strtoul(*at + 1, &behind, 10);
    if (behind > end || (behind < end && *behind != '/'))
        return 0;
    *at = behind;
    return 1;
}

/* Where the numbers begin, or `end`. */
static const char *numbers(const char *name, const char *end)
{
    for (; name < end; name++) {
        const char *at = name;
        unsigned long skipped;

        if (number(&at, end, &skipped) && number(&at, end, &skipped))
            return name;
    }
    return end;
}

static void add_name(wfsm_store *store, char *out, const char *name, const char *end)
{
    const char *at = numbers(name, end);
    size_t root = (size_t)(at - name);
    unsigned long revision, ordinal, attempt;
    char id[ID];

    snprintf(id, sizeof id, "%.*s", (int)root, name);
    while (number(&at, end, &revision) && number(&at, end, &ordinal)) {
        name_work(store, id, revision, ordinal);
        if (number(&at, end, &attempt))
            name_child(id, root, attempt);
    }
    strcat(out, id);
    strncat(out, at, (size_t)(end - at));
}

const char *ids_in(wfsm_store *store, const char *text)
{
    static char buffers[BUFFERS][TEXT];
    static int next;
    char *out = buffers[next++ % BUFFERS];

    out[0] = '\0';
    while (*text && strlen(out) < TEXT - 2 * ID) {
        size_t length = strcspn(text, "\" ,:{}[]\n");

        if (length > 0)
            add_name(store, out, text, text + length);
        else
            strncat(out, text, length = 1);
        text += length;
    }
    return out;
}

const char *bare_ids(const char *text)
{
    static char buffers[2][TEXT];
    static int next;
    char *out = buffers[next++ % 2], *end = out;

    while (*text && end < out + TEXT - 1) {
        size_t digits = text[0] == '-' ? strspn(text + 1, "0123456789") : 0;
        int incarnation =
            digits > 0 && text[1 + digits] == '"' && end > out && strchr("0123456789", end[-1]);

        if (incarnation)
            text += 1 + digits;
        else
            *end++ = *text++;
    }
    *end = '\0';
    return out;
}
