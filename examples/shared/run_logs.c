#include "run_logs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

enum { MOST_NAME = 1024 };

static int is_plain(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

/* "ID+", as the library writes it. */
static void make_prefix(const char *id, char prefix[MOST_NAME])
{
    size_t length = 0;
    const char *at;

    for (at = id; *at && length < MOST_NAME - 8; at++)
        if (*at == '/')
            prefix[length++] = '+';
        else if (is_plain(*at) && !(*at == '.' && at == id))
            prefix[length++] = *at;
        else
            length += (size_t)snprintf(prefix + length, 4, "%%%02X", (unsigned char)*at);
    prefix[length++] = '+';
    prefix[length] = '\0';
}

static const char *skip_number(const char *at)
{
    size_t digits = at ? strspn(at, "0123456789") : 0;

    return digits > 0 ? at + digits : NULL;
}

/* REVISION+NUMBER-INCARNATION.…: another part would be of an instance whose id has a '/' in it. */
static int is_invocation(const char *rest)
{
    const char *at = skip_number(rest);

    at = at && *at == '+' ? skip_number(at + 1) : NULL;
    if (at && *at == '-')
        at = skip_number(at + 1);
    return at && *at == '.';
}

enum { CHILD_DIGITS = 16 };

/* Of the instance, or of a child, whose id has 16 digits more. */
static int is_of(const char *rest, int children)
{
    if (children && strspn(rest, "0123456789abcdef") == CHILD_DIGITS &&
        rest[CHILD_DIGITS] == '+')
        rest += CHILD_DIGITS + 1;
    return is_invocation(rest);
}

static int add(host_run_logs *list, const char *name)
{
    char **longer = realloc(list->names, (list->count + 1) * sizeof *longer);

    if (!longer)
        return -1;
    list->names = longer;
    longer[list->count] = strdup(name);
    if (!longer[list->count])
        return -1;
    list->count++;
    return 0;
}

/* Numbers by their values: revision 9 comes before 10. */
static int by_name(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    size_t same = 0, digits_a, digits_b;

    while (a[same] && a[same] == b[same])
        same++;
    while (same > 0 && a[same - 1] >= '0' && a[same - 1] <= '9')
        same--;
    digits_a = strspn(a + same, "0123456789");
    digits_b = strspn(b + same, "0123456789");
    if (digits_a != digits_b && digits_a > 0 && digits_b > 0)
        return digits_a < digits_b ? -1 : 1;
    return strcmp(a + same, b + same);
}

int host_run_logs_read(host_run_logs *list, const char *folder, const char *id, int children)
{
    char prefix[MOST_NAME];
    DIR *open = opendir(folder);
    const struct dirent *one;

    memset(list, 0, sizeof *list);
    if (!open)
        return -1;
    make_prefix(id, prefix);
    while ((one = readdir(open)))
        if (strncmp(one->d_name, prefix, strlen(prefix)) == 0 &&
            is_of(one->d_name + strlen(prefix), children) && add(list, one->d_name) != 0)
            break;
    (void)closedir(open);
    if (list->count > 1)
        qsort(list->names, list->count, sizeof *list->names, by_name);
    return 0;
}

void host_run_logs_clear(host_run_logs *list)
{
    while (list->count > 0)
        free(list->names[--list->count]);
    free(list->names);
    list->names = NULL;
}

size_t host_run_logs_delete(const char *folder, const char *id, int children)
{
    host_run_logs list;
    size_t count = 0, index;

    if (host_run_logs_read(&list, folder, id, children) != 0)
        return 0;
    for (index = 0; index < list.count; index++) {
        char *path = host_path_join(folder, list.names[index]);
        count += path && unlink(path) == 0;
        free(path);
    }
    host_run_logs_clear(&list);
    return count;
}
