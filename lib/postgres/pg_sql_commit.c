/* postgres/pg_sql_commit.c: the statement that writes the commits of an exchange, in parts. There are two of
 * it, for instances that start and for those that are there: they differ in what the head must be and in
 * how it is written. What a round does not need is left out: planning takes longer than carrying out. */
#include "pg_sql.h"

/* One row for each chain, and one for each commit. */
static const char given[] =
    "WITH chain AS (SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[],"
    " $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],"
    " $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],"
    " $16::bigint[], $17::bigint[], $18::text[], $19::text[], $20::bigint[], $21::bigint[],"
    " $22::text[]) WITH ORDINALITY AS t (instance, base, revision, epoch, owner, previous,"
    " token, tags, effects, acknowledged, status, deadline, created, updated, leaves,"
    " by_hand, machine, fingerprint, snapshot, snapshot_now, snapshot_text, n)),\n"
    "step AS (SELECT * FROM unnest($23::bigint[], $24::bigint[], $25::bigint[],"
    " $26::text[], $27::bigint[], $28::text[], $29::text[], $30::text[], $31::text[])"
    " WITH ORDINALITY AS t (chain, revision, now, event, post, fingerprint, needed, refused,"
    " text, n)),\n";

/* The first commit of a chain that is refused, and why: e its event has a record, p its post is gone, c
 * its checkpoint is, d there is no such document. */
static const char bad[] =
    "bad AS (SELECT DISTINCT ON (chain) chain, n, code FROM (SELECT s.chain, s.n, CASE"
    " WHEN s.refused IS NOT NULL THEN s.refused"
    " WHEN s.event IS NOT NULL AND EXISTS (SELECT 1 FROM @record AS r"
    " WHERE r.namespace = $1 AND r.instance = c.instance AND r.event = s.event) THEN 'e'"
    " WHEN s.post IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @post AS p"
    " WHERE p.namespace = $1 AND p.instance = c.instance AND p.number = s.post) THEN 'p'"
    " WHEN s.needed IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @checkpoint AS k"
    " WHERE k.namespace = $1 AND k.instance = c.instance AND k.id = s.needed) THEN 'c'"
    " WHEN s.fingerprint <> ALL ($32::text[]) AND NOT EXISTS (SELECT 1 FROM @document AS d"
    " WHERE d.namespace = $1 AND d.fingerprint = s.fingerprint) THEN 'd' END AS code"
    " FROM step AS s JOIN chain AS c ON c.n = s.chain) AS t"
    " WHERE code IS NOT NULL ORDER BY chain, n),\n";

#define VERDICT_BEGIN                                                                          \
    "verdict AS (SELECT c.n, h.revision AS found, h.owner AS owned, bad.n AS step, CASE "
#define VERDICT_END                                                                            \
    " ELSE bad.code END AS code FROM chain AS c LEFT JOIN @head AS h"                          \
    " ON h.namespace = $1 AND h.instance = c.instance LEFT JOIN bad ON bad.chain = c.n),\n"

/* A lost start that was given up has left a row of revision 0. */
static const char start[] = VERDICT_BEGIN
    "WHEN h.revision > 0 THEN 'x' WHEN h.epoch <> c.epoch THEN 'k'" VERDICT_END
    "wrote_head AS (INSERT INTO @head AS h (namespace, instance, revision, epoch, token,"
    " owner, tags, effects, acknowledged, status, created, updated, first, snapshot,"
    " machine, fingerprint) SELECT $1, c.instance, c.revision, 0, c.token,"
    " CASE WHEN c.leaves = 1 THEN '' ELSE c.owner END, c.tags, c.effects, 0, c.status,"
    " c.created, c.updated, 1, coalesce(c.snapshot, 0), c.machine, c.fingerprint"
    " FROM chain AS c JOIN verdict AS v ON v.n = c.n WHERE v.code IS NULL"
    " ORDER BY c.instance COLLATE \"C\" ON CONFLICT (namespace, instance) DO UPDATE"
    " SET revision = excluded.revision, epoch = 0, token = excluded.token,"
    " owner = excluded.owner, tags = excluded.tags, effects = excluded.effects,"
    " acknowledged = 0, status = excluded.status, created = excluded.created,"
    " updated = excluded.updated, first = 1, snapshot = excluded.snapshot,"
    " machine = excluded.machine, fingerprint = excluded.fingerprint"
    " WHERE h.revision = 0 AND h.epoch ="
    " (SELECT c.epoch FROM chain AS c WHERE c.instance = h.instance) RETURNING h.instance),\n"
    "wrote AS (SELECT c.n FROM chain AS c JOIN wrote_head AS w ON w.instance = c.instance),\n";

static const char commit[] = VERDICT_BEGIN
    "WHEN h.instance IS NULL OR h.revision = 0 THEN 'n' WHEN h.revision <> c.base THEN 'r'"
    " WHEN h.owner <> c.owner THEN 'o'"
    " WHEN c.previous IS NOT NULL AND h.token <> c.previous THEN 't'"
    " WHEN h.epoch <> c.epoch THEN 'l'" VERDICT_END
    "wrote AS (UPDATE @head AS h SET revision = c.revision, epoch = 0, token = c.token,"
    " owner = CASE WHEN c.leaves = 1 AND NOT EXISTS (SELECT 1 FROM @post AS p"
    " WHERE p.namespace = $1 AND p.instance = c.instance AND p.number NOT IN"
    " (SELECT s.post FROM step AS s WHERE s.chain = c.n AND s.post IS NOT NULL))"
    " THEN '' ELSE h.owner END, tags = c.tags, effects = c.effects,"
    " acknowledged = CASE WHEN c.acknowledged > h.acknowledged"
    " AND c.acknowledged <= h.effects THEN c.acknowledged ELSE h.acknowledged END,"
    " status = c.status, updated = c.updated, snapshot = coalesce(c.snapshot, h.snapshot),"
    " machine = c.machine, fingerprint = c.fingerprint"
    " FROM chain AS c JOIN verdict AS v ON v.n = c.n"
    " WHERE v.code IS NULL AND h.namespace = $1 AND h.instance = c.instance RETURNING c.n),\n";

/* All of this joins `wrote`, the chains whose head was written. */
static const char records[] =
    "records AS (INSERT INTO @record (namespace, instance, revision, now, event, text)"
    " SELECT $1, c.instance, s.revision, s.now, s.event, s.text FROM step AS s"
    " JOIN chain AS c ON c.n = s.chain JOIN wrote AS w ON w.n = c.n),\n";

static const char consumed[] =
    "consumed AS (DELETE FROM @post AS p USING step AS s JOIN chain AS c ON c.n = s.chain"
    " JOIN wrote AS w ON w.n = c.n WHERE s.post IS NOT NULL AND p.namespace = $1"
    " AND p.instance = c.instance AND p.number = s.post),\n";

static const char documents[] =
    "documents AS (INSERT INTO @document (namespace, fingerprint, text)"
    " SELECT DISTINCT ON (d.fingerprint) $1, d.fingerprint, d.text"
    " FROM unnest($32::text[], $33::text[]) AS d (fingerprint, text)"
    " WHERE EXISTS (SELECT 1 FROM step AS s JOIN wrote AS w ON w.n = s.chain"
    " WHERE s.fingerprint = d.fingerprint) ORDER BY d.fingerprint ON CONFLICT DO NOTHING),\n";

static const char snapshots[] =
    "snapshots AS (INSERT INTO @snapshot (namespace, instance, kind, revision, now, text)"
    " SELECT $1, c.instance, 1, c.snapshot, c.snapshot_now, c.snapshot_text FROM chain AS c"
    " JOIN wrote AS w ON w.n = c.n WHERE c.snapshot IS NOT NULL"
    " ON CONFLICT (namespace, instance, kind) DO UPDATE SET revision = excluded.revision,"
    " now = excluded.now, text = excluded.text),\n";

static const char kept[] =
    "kept AS (INSERT INTO @checkpoint (namespace, instance, id, revision, now, artifacts,"
    " text) SELECT $1, c.instance, k.id, k.revision, k.now, k.artifacts, k.text"
    " FROM unnest($34::bigint[], $35::text[], $36::bigint[], $37::bigint[], $38::text[],"
    " $39::text[]) AS k (chain, id, revision, now, artifacts, text)"
    " JOIN chain AS c ON c.n = k.chain JOIN wrote AS w ON w.n = c.n"
    " WHERE k.revision IS NOT NULL ON CONFLICT (namespace, instance, id) DO UPDATE"
    " SET revision = excluded.revision, now = excluded.now, artifacts = excluded.artifacts,"
    " text = excluded.text),\n";

static const char dropped[] =
    "dropped AS (DELETE FROM @checkpoint AS p USING unnest($34::bigint[], $35::text[],"
    " $36::bigint[]) AS k (chain, id, revision) JOIN chain AS c ON c.n = k.chain"
    " JOIN wrote AS w ON w.n = c.n WHERE k.revision IS NULL AND p.namespace = $1"
    " AND p.instance = c.instance AND p.id = k.id),\n";

static const char due[] =
    "due AS (INSERT INTO @due AS d (namespace, instance, deadline)"
    " SELECT $1, c.instance, c.deadline FROM chain AS c JOIN wrote AS w ON w.n = c.n"
    " WHERE c.deadline IS NOT NULL ON CONFLICT (namespace, instance) DO UPDATE"
    " SET deadline = excluded.deadline WHERE d.deadline <> excluded.deadline),\n";

static const char calm[] =
    "calm AS (DELETE FROM @due AS d USING chain AS c JOIN wrote AS w ON w.n = c.n"
    " WHERE c.deadline IS NULL AND d.namespace = $1 AND d.instance = c.instance),\n";

static const char told[] =
    "told AS (UPDATE @session AS s SET changes = s.changes + 1 WHERE s.namespace = $1"
    " AND s.name IN (SELECT c.owner FROM chain AS c JOIN wrote AS w ON w.n = c.n"
    " WHERE c.by_hand = 1)),\n";

/* No comma is behind it, whatever is before it. */
#define LAST "last AS (SELECT 1)\n"

/* If this handle has not seen the epoch of a start that was given up, it has to look at it first: the
 * division ends the transaction. */
static const char start_answer[] =
    LAST "SELECT v.n, v.code, v.step, v.found, v.owned, w.n IS NOT NULL,"
         " 1 / (CASE v.code WHEN 'k' THEN 0 ELSE 1 END)"
         " FROM verdict AS v LEFT JOIN wrote AS w ON w.n = v.n ORDER BY v.n";

static const char commit_answer[] =
    LAST "SELECT v.n, v.code, v.step, v.found, v.owned, w.n IS NOT NULL"
         " FROM verdict AS v LEFT JOIN wrote AS w ON w.n = v.n ORDER BY v.n";

const char *const wf_pg_sql_parts[WF_PG_PARTS] = {
    [WF_PG_PART_GIVEN] = given,
    [WF_PG_PART_BAD] = bad,
    [WF_PG_PART_START] = start,
    [WF_PG_PART_COMMIT] = commit,
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
