/* doc/sqlite-schema.md describes the real tables, and its queries work. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static char *page;

void setUp(void)
{
}

void tearDown(void)
{
    folder_wipe();
}

static char *read_page(void)
{
    FILE *file = fopen(SCHEMA_PAGE, "rb");
    TEST_ASSERT_NOT_NULL(file);
    char *text = calloc(1, 65536);
    TEST_ASSERT_GREATER_THAN_size_t(0, fread(text, 1, 65535, file));
    fclose(file);
    return text;
}

/* The next ```sql block from *at on, as its own string; NULL after the last. */
static char *next_block(const char **at)
{
    const char *begin = strstr(*at, "```sql\n");
    if (!begin)
        return NULL;
    begin += strlen("```sql\n");
    const char *end = strstr(begin, "```");
    TEST_ASSERT_NOT_NULL(end);
    *at = end + 3;
    char *block = calloc(1, (size_t)(end - begin) + 1);
    memcpy(block, begin, (size_t)(end - begin));
    return block;
}

/* Tables and indexes with all their columns, as one text. */
static const char shape[] =
    "SELECT group_concat(line, char(10)) FROM ("
    " SELECT 'column ' || t.name || ' ' || quote(t.strict) || quote(t.wr) || ' ' ||"
    "  c.name || ' ' || c.type || quote(c.\"notnull\") || quote(c.pk) AS line"
    " FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
    " WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'"
    " UNION SELECT 'index ' || t.name || ' ' || i.name || quote(i.\"unique\") ||"
    "  quote(i.partial) || ' ' || quote(x.seqno) || quote(x.name)"
    " FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i"
    " JOIN pragma_index_info(i.name) AS x"
    " WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%' ORDER BY 1)";

static char *shape_of(const char *name)
{
    sqlite3 *connection = other_open(name);
    sqlite3_stmt *statement = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(SQLITE_OK,
                                  sqlite3_prepare_v2(connection, shape, -1, &statement, NULL),
                                  sqlite3_errmsg(connection));
    TEST_ASSERT_EQUAL_INT(SQLITE_ROW, sqlite3_step(statement));
    char *text = calloc(1, (size_t)sqlite3_column_bytes(statement, 0) + 1);
    strcpy(text, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return text;
}

/* Then all tables are there. */
static void share_a_limit(wfsm_store *store)
{
    wfsm_permit permit = {.size = sizeof permit, .name = "g", .kind = 1, .most = 1};
    wfsm_permit *permits = &permit;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "one",
                              .now = 1,
                              .permits = &permits,
                              .permit_count = 1};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(store, &exchange, NULL));
}

static void the_page_has_the_schema(void)
{
    const char *at = page;
    char *block = next_block(&at);
    TEST_ASSERT_NOT_NULL(block);
    other_run("page.db", block);
    wfsm_store *store = folder_open("real.db");
    share_a_limit(store);
    wfsm_store_free(store);
    char *documented = shape_of("page.db");
    char *real = shape_of("real.db");
    TEST_ASSERT_NOT_NULL(strstr(real, "column journal"));
    TEST_ASSERT_EQUAL_STRING(documented, real);
    free(documented);
    free(real);
    free(block);
}

static void each_question_has_an_answer(void)
{
    const char *at = page;
    int count = 0;
    wfsm_store *store = folder_open("real.db");
    for (uint64_t base = 0; base < 3; base++) {
        wfsm_commit commit = commit_of("task-42", base);
        commit.snapshot = "{}";
        commit.snapshot_length = 2;
        commit.deadline = 5;
        commit.effects = 1;
        expect_commit(store, &commit, WFSM_OK);
    }
    wfsm_store_post(store, "task-42", "GO", NULL, NULL, 0, 1, NULL);
    wfsm_store_free(store);
    free(next_block(&at));
    sqlite3 *connection = other_open("real.db");
    for (char *block; (block = next_block(&at)); free(block), count++) {
        sqlite3_stmt *statement = NULL;
        TEST_ASSERT_EQUAL_INT_MESSAGE(
            SQLITE_OK, sqlite3_prepare_v2(connection, block, -1, &statement, NULL), block);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SQLITE_ROW, sqlite3_step(statement), block);
        sqlite3_finalize(statement);
    }
    sqlite3_close(connection);
    TEST_ASSERT_GREATER_THAN_INT(4, count);
}

int main(void)
{
    page = read_page();
    UNITY_BEGIN();
    RUN_TEST(the_page_has_the_schema);
    RUN_TEST(each_question_has_an_answer);
    folder_remove();
    free(page);
    return UNITY_END() != 0;
}
