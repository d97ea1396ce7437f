/* postgres/pg_error.c: what the server's errors mean, and messages. They name the server and the
 * database, and never a password. */
#include "pg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* wfsm_error_set() truncates a message to 511 bytes. */
enum { SENTENCE_BYTES = 512, MESSAGE_BYTES = 768 };

static int32_t tell(const wf_pg *db, int32_t status, wfsm_error *error, char *sentence)
{
    char message[MESSAGE_BYTES];

    wf_pg_hide_secret(db, sentence);
    snprintf(message, sizeof message, "%s: %s", db->place, sentence);
    if (error)
        wfsm_error_set(error, status, message);
    return status;
}

int32_t wf_pg_refuse(const wf_pg *db, int32_t status, wfsm_error *error, const char *format,
                     ...)
{
    char sentence[SENTENCE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return tell(db, status, error, sentence);
}

static const char *state_of(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    return state ? state : "";
}

bool wf_pg_has_state(const PGresult *result, const char *sqlstate)
{
    return strncmp(state_of(result), sqlstate, strlen(sqlstate)) == 0;
}

/* Serialization failures, deadlocks, and locks that others hold. */
bool wf_pg_may_repeat(const PGresult *result)
{
    return wf_pg_has_state(result, "40001") || wf_pg_has_state(result, "40P01") ||
           wf_pg_has_state(result, "40003") || wf_pg_has_state(result, "55P03");
}

static const struct meaning {
    const char *state;
    int32_t status;
    const char *advice;
} meanings[] = {
    {"42P01", WFSM_CORRUPT, "its tables are not those of a wfsm store"},
    {"3F", WFSM_CORRUPT, "its tables are not those of a wfsm store"},
    {"42501", WFSM_DENIED, "the role lacks a right"},
    {"42", WFSM_CORRUPT, "its tables are not those of a wfsm store"},
    {"23", WFSM_CORRUPT, "its tables do not agree with each other"},
    {"25006", WFSM_DENIED, "the server is read-only"},
    {"54", WFSM_LIMIT, "the server's limits do not admit this"},
    {"2202", WFSM_INVALID, "a text is not what PostgreSQL can store"},
    {"22P05", WFSM_INVALID, "a text is not what PostgreSQL can store"},
    {"53200", WFSM_NO_MEMORY, "the server is out of memory"},
};

int32_t wf_pg_fail(const wf_pg *db, const PGresult *result, int32_t failure, wfsm_error *error)
{
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *advice = "the server refuses";

    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (wf_pg_has_state(result, meanings[i].state)) {
            failure = meanings[i].status;
            advice = meanings[i].advice;
            break;
        }
    return wf_pg_refuse(db, failure, error, "%s: %s (SQLSTATE %s)", advice,
                        primary ? primary : "no reason was given", state_of(result));
}

/* libpq's messages have several lines. */
int32_t wf_pg_fail_connection(const wf_pg *db, int32_t failure, const char *what,
                              wfsm_error *error)
{
    char reason[SENTENCE_BYTES];
    size_t length;

    snprintf(reason, sizeof reason, "%s", PQerrorMessage(db->connection));
    length = strlen(reason);
    while (length > 0 && reason[length - 1] == '\n')
        reason[--length] = '\0';
    for (char *at = reason; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    return wf_pg_refuse(db, failure, error, "%s: %s", what,
                        *reason ? reason : "the time is over");
}

int32_t wf_pg_lost(const wf_pg *db, wfsm_error *error)
{
    return wf_pg_refuse(
        db, WFSM_STORE_UNKNOWN, error,
        db->unsure ? "the server has committed, and does not know whether a standby has it"
                   : "the server's answer was lost, so it may or may not have committed");
}

int32_t wf_pg_job_refuse(wf_pg_job *job, int32_t status, const char *format, ...)
{
    char sentence[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    wf_pg_refuse(job->db, status, job->error, "%s", sentence);
    job->error = NULL;
    return status;
}
