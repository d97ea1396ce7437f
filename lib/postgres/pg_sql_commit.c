/* postgres/pg_sql_commit.c: the statement that writes the commits of an exchange, in parts. There are two of
 * it, for instances that start and for those that are there: they differ in what the head must be and in
 * how it is written. What a round does not need is left out: planning takes longer than carrying out. */
#include "pg_sql.h"

/*
 * It is planned for any parameters (WF_PG_MODE): the server expects ten rows of each array. Rows are asked for
 * with IS NOT NULL, because the server expects most rows of that, and one in 200 of IS NULL; it would then
 * compare each with each.
 */

/* One row for each chain, and one for each commit. */
static const char given[] =
    "WITH chain AS MATERIALIZED (SELECT * FROM unnest($2::text[],"
    " $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],"
    " $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],"
    " $16::bigint[], $17::bigint[], $18::text[], $19::text[], $20::bigint[], $21::bigint[],"
    " $22::text[], $23::bigint[], $24::text[]) WITH ORDINALITY AS t (instance, base, revision, epoch, owner, previous,"
    " token, tags, effects, acknowledged, status, deadline, created, updated, leaves,"
    " by_hand, machine, fingerprint, snapshot, snapshot_now, snapshot_text, shard, attributes, n)),\n"
    "step AS MATERIALIZED (SELECT * FROM unnest($25::bigint[], $26::bigint[], $27::bigint[],"
    " $28::text[], $29::bigint[], $30::text[], $31::text[], $32::text[], $33::text[])"
    " WITH ORDINALITY AS t (chain, revision, now, event, post, fingerprint, needed, refused,"
    " text, n)),\n";

/* The first commit of a chain that is refused, and why: e its event has a record, p its post is gone, c
 * its checkpoint is, d there is no such document. OFFSET 0: each question is asked once, not once more for
 * the condition. A subquery with = is one lookup; the server may read a whole table for EXISTS. */
static const char bad_begin[] =
    "known AS MATERIALIZED (SELECT d.fingerprint FROM (SELECT DISTINCT s.fingerprint"
    " FROM step AS s) AS u JOIN @document AS d ON d.namespace = $1"
    " AND d.fingerprint = u.fingerprint),\n"
    "bad AS (SELECT DISTINCT ON (chain) chain, n, code FROM (SELECT s.chain, s.n, CASE"
    " WHEN s.refused IS NOT NULL THEN s.refused";

static const char bad_event[] =
    " WHEN s.event IS NOT NULL AND (SELECT 1 FROM @record AS r WHERE r.namespace = $1"
    " AND r.instance = c.instance AND r.event = s.event) = 1 THEN 'e'";

static const char bad_post[] =
    " WHEN s.post IS NOT NULL AND (SELECT 1 FROM @post AS p WHERE p.namespace = $1"
    " AND p.instance = c.instance AND p.number = s.post) IS NULL THEN 'p'";

static const char bad_checkpoint[] =
    " WHEN s.needed IS NOT NULL AND (SELECT 1 FROM @checkpoint AS k"
    " WHERE k.namespace = $1 AND k.instance = c.instance AND k.id = s.needed) IS NULL"
    " THEN 'c'";

static const char bad_document[] =
    " WHEN s.fingerprint <> ALL ($34::text[])"
    " AND s.fingerprint <> ALL (ARRAY(SELECT k.fingerprint FROM known AS k)) THEN 'd'"
    " END AS code FROM step AS s";

static const char bad_chain[] = " JOIN chain AS c ON c.n = s.chain";

static const char bad_end[] = " OFFSET 0) AS t WHERE code IS NOT NULL ORDER BY chain, n),\n";

/* `fine` is not null if nothing refuses the chain. */
#define VERDICT_BEGIN                                                                          \
    "verdict AS MATERIALIZED (SELECT *, CASE WHEN code IS NULL THEN 1 END AS fine"             \
    " FROM (SELECT c.*, h.revision AS found, h.owner AS owned, h.created AS made, bad.n AS bad_step, CASE "
#define VERDICT_END                                                                            \
    " ELSE bad.code END AS code FROM chain AS c LEFT JOIN @head AS h"                          \
    " ON h.namespace = $1 AND h.instance = c.instance"                                         \
    " LEFT JOIN bad ON bad.chain = c.n) AS t),\n"

/* What the parts that write need of a chain whose head was written. */
#define WROTE                                                                                  \
    "wrote AS MATERIALIZED (SELECT v.n, v.instance, v.owner, v.by_hand,"                       \
    " v.deadline, CASE WHEN v.deadline IS NULL THEN 1 END AS calm, v.snapshot,"                \
    " v.snapshot_now, v.snapshot_text FROM verdict AS v "

/* A lost start that was given up has left a row of revision 0. */
static const char start[] = VERDICT_BEGIN
    "WHEN h.revision > 0 THEN 'x' WHEN h.epoch <> c.epoch THEN 'k'" VERDICT_END
    "wrote_head AS (INSERT INTO @head AS h (namespace, instance, revision, epoch, token,"
    " owner, tags, effects, acknowledged, status, created, updated, first, snapshot,"
    " machine, fingerprint, shard, attributes) SELECT $1, v.instance, v.revision, 0, v.token,"
    " CASE WHEN v.leaves = 1 THEN '' ELSE v.owner END, v.tags, v.effects, 0, v.status,"
    " v.created, v.updated, 1, coalesce(v.snapshot, 0), v.machine, v.fingerprint, v.shard,"
    " v.attributes"
    " FROM verdict AS v WHERE v.fine IS NOT NULL"
    " ORDER BY v.instance COLLATE \"C\" ON CONFLICT (namespace, instance) DO UPDATE"
    " SET revision = excluded.revision, epoch = 0, token = excluded.token,"
    " owner = excluded.owner, tags = excluded.tags, effects = excluded.effects,"
    " acknowledged = 0, status = excluded.status, created = excluded.created,"
    " updated = excluded.updated, first = 1, snapshot = excluded.snapshot,"
    " machine = excluded.machine, fingerprint = excluded.fingerprint, shard = excluded.shard,"
    " attributes = excluded.attributes"
    " WHERE h.revision = 0 AND h.epoch ="
    " (SELECT c.epoch FROM chain AS c WHERE c.instance = h.instance) RETURNING h.instance),\n" WROTE
    "JOIN wrote_head AS w ON w.instance = v.instance),\n";

static const char commit_begin[] = VERDICT_BEGIN
    "WHEN h.instance IS NULL OR h.revision = 0 THEN 'n' WHEN h.revision <> c.base THEN 'r'"
    " WHEN h.owner <> c.owner THEN 'o'"
    " WHEN c.previous IS NOT NULL AND h.token <> c.previous THEN 't'"
    " WHEN h.epoch <> c.epoch THEN 'l'" VERDICT_END
    "moved AS (UPDATE @head AS h SET revision = v.revision, epoch = 0, token = v.token,"
    " tags = v.tags, effects = v.effects,"
    " acknowledged = CASE WHEN v.acknowledged > h.acknowledged"
    " AND v.acknowledged <= h.effects THEN v.acknowledged ELSE h.acknowledged END,"
    " status = v.status, updated = v.updated, snapshot = coalesce(v.snapshot, h.snapshot),"
    " machine = v.machine, fingerprint = v.fingerprint, attributes = v.attributes";

static const char commit_leaves[] =
    ", owner = CASE WHEN v.leaves = 1 AND NOT EXISTS (SELECT 1 FROM @post AS p"
    " WHERE p.namespace = $1 AND p.instance = v.instance AND p.number NOT IN"
    " (SELECT s.post FROM step AS s WHERE s.chain = v.n AND s.post IS NOT NULL))"
    " THEN '' ELSE h.owner END";

static const char commit_end[] =
    " FROM verdict AS v WHERE v.fine IS NOT NULL AND h.namespace = $1"
    " AND h.instance = v.instance RETURNING v.n),\n" WROTE "WHERE v.fine IS NOT NULL),\n";

/* All of this is for `wrote`, the chains whose head was written. */
static const char records[] =
    "records AS (INSERT INTO @record (namespace, instance, revision, now, event, text)"
    " SELECT $1, w.instance, s.revision, s.now, s.event, s.text FROM step AS s"
    " JOIN wrote AS w ON w.n = s.chain),\n";

static const char consumed[] =
    "taken AS MATERIALIZED (SELECT w.instance, s.post FROM step AS s"
    " JOIN wrote AS w ON w.n = s.chain WHERE s.post IS NOT NULL),\n"
    "consumed AS (DELETE FROM @post AS p USING taken AS t WHERE p.namespace = $1"
    " AND p.instance = t.instance AND p.number = t.post),\n";

static const char documents[] =
    "documents AS (INSERT INTO @document (namespace, fingerprint, text)"
    " SELECT DISTINCT ON (d.fingerprint) $1, d.fingerprint, d.text"
    " FROM unnest($34::text[], $35::text[]) AS d (fingerprint, text)"
    " WHERE EXISTS (SELECT 1 FROM step AS s JOIN wrote AS w ON w.n = s.chain"
    " WHERE s.fingerprint = d.fingerprint) ORDER BY d.fingerprint ON CONFLICT DO NOTHING),\n";

static const char snapshots[] =
    "snapshots AS (INSERT INTO @snapshot (namespace, instance, kind, revision, now, text)"
    " SELECT $1, w.instance, 1, w.snapshot, w.snapshot_now, w.snapshot_text"
    " FROM wrote AS w WHERE w.snapshot IS NOT NULL"
    " ON CONFLICT (namespace, instance, kind) DO UPDATE SET revision = excluded.revision,"
    " now = excluded.now, text = excluded.text),\n";

static const char kept[] =
    "kept AS (INSERT INTO @checkpoint (namespace, instance, id, revision, now, artifacts,"
    " text) SELECT $1, w.instance, k.id, k.revision, k.now, k.artifacts, k.text"
    " FROM unnest($36::bigint[], $37::text[], $38::bigint[], $39::bigint[], $40::text[],"
    " $41::text[]) AS k (chain, id, revision, now, artifacts, text)"
    " JOIN wrote AS w ON w.n = k.chain WHERE k.revision IS NOT NULL ON CONFLICT (namespace, instance, id) DO UPDATE"
    " SET revision = excluded.revision, now = excluded.now, artifacts = excluded.artifacts,"
    " text = excluded.text),\n";

static const char dropped[] =
    "dropped AS (DELETE FROM @checkpoint AS p USING unnest($36::bigint[], $37::text[],"
    " $38::bigint[]) AS k (chain, id, revision) JOIN wrote AS w ON w.n = k.chain"
    " WHERE k.revision IS NULL AND p.namespace = $1 AND p.instance = w.instance"
    " AND p.id = k.id),\n";

static const char due[] =
    "due AS (INSERT INTO @due AS d (namespace, instance, deadline)"
    " SELECT $1, w.instance, w.deadline FROM wrote AS w"
    " WHERE w.deadline IS NOT NULL ON CONFLICT (namespace, instance) DO UPDATE"
    " SET deadline = excluded.deadline WHERE d.deadline <> excluded.deadline),\n";

static const char calm[] =
    "calm AS (DELETE FROM @due AS d USING wrote AS w WHERE w.calm IS NOT NULL"
    " AND d.namespace = $1 AND d.instance = w.instance),\n";

static const char told[] =
    "told AS (UPDATE @session AS s SET changes = s.changes + 1 WHERE s.namespace = $1"
    " AND s.name IN (SELECT w.owner FROM wrote AS w WHERE w.by_hand = 1)),\n";

/* No comma is behind it, whatever is before it. */
#define LAST "last AS (SELECT 1)\n"

/* Heads that are fine are locked, so they are written; the division ends the transaction otherwise. */
static const char commit_answer[] = LAST
    "SELECT v.n, v.code, v.bad_step, v.found, v.owned, v.fine IS NOT NULL,"
    " 1 / (CASE WHEN (SELECT count(*) FROM moved) = (SELECT count(v.fine) FROM verdict AS v)"
    " THEN 1 ELSE 0 END), v.made FROM verdict AS v ORDER BY v.n";

/* If this handle has not seen the epoch of a start that was given up, it has to look at it first: the
 * division ends the transaction. */
static const char start_answer[] =
    LAST "SELECT v.n, v.code, v.bad_step, v.found, v.owned, w.n IS NOT NULL,"
         " 1 / (CASE v.code WHEN 'k' THEN 0 ELSE 1 END)"
         " FROM verdict AS v LEFT JOIN wrote AS w ON w.n = v.n ORDER BY v.n";

const char *const wf_pg_sql_parts[WF_PG_PARTS] = {
    [WF_PG_PART_GIVEN] = given,
    [WF_PG_PART_BAD] = bad_begin,
    [WF_PG_PART_BAD_EVENT] = bad_event,
    [WF_PG_PART_BAD_POST] = bad_post,
    [WF_PG_PART_BAD_CHECKPOINT] = bad_checkpoint,
    [WF_PG_PART_BAD_DOCUMENT] = bad_document,
    [WF_PG_PART_BAD_CHAIN] = bad_chain,
    [WF_PG_PART_BAD_END] = bad_end,
    [WF_PG_PART_START] = start,
    [WF_PG_PART_COMMIT] = commit_begin,
    [WF_PG_PART_COMMIT_LEAVES] = commit_leaves,
    [WF_PG_PART_COMMIT_END] = commit_end,
    [WF_PG_PART_RECORDS] = records,
    [WF_PG_PART_CONSUMED] = consumed,
    [WF_PG_PART_DOCUMENTS] = documents,
    [WF_PG_PART_SNAPSHOTS] = snapshots,
    [WF_PG_PART_KEPT] = kept,
    [WF_PG_PART_DROPPED] = dropped,
    [WF_PG_PART_DUE] = due,
    [WF_PG_PART_CALM] = calm,
    [WF_PG_PART_TOLD] = told,
    [WF_PG_PART_START_ANSWER] = start_answer,
    [WF_PG_PART_COMMIT_ANSWER] = commit_answer,
};
