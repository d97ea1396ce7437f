/* postgres/pg_sql.c: the statements that are not commits. */
#include "pg_sql.h"

/* The server's time in milliseconds, unless the host's counts. */
#define CLOCK(parameter)                                                                       \
    "clock AS (SELECT coalesce(" parameter "::bigint,"                                         \
    " (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now)"

#define HEAD_COLUMNS                                                                            \
    "h.instance, h.machine, h.fingerprint, h.owner, h.token, h.tags, h.revision, h.snapshot,"   \
    " h.effects, h.acknowledged, h.status, d.deadline, h.created, h.updated, h.first, h.epoch," \
    " h.attributes"
/* The limit keeps the server from reading the deadlines of all instances for those of some. */
#define HEAD_TABLES                                                                            \
    " FROM @head AS h LEFT JOIN LATERAL (SELECT x.deadline FROM @due AS x"                     \
    " WHERE x.namespace = h.namespace AND x.instance = h.instance LIMIT 1) AS d ON true "

#define POST_COLUMNS                                                                           \
    "p.number, p.instance, p.event, p.name, p.data, p.now, p.kind, p.interface, p.sender"

/* Columns of a snapshot or record in a result that also has heads. */
#define PART(text)                                                                             \
    "NULL, NULL, NULL, NULL, NULL, x.revision, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"      \
    " NULL, NULL, NULL, x.now, " text

/* A table of the schema. Its name follows. */
#define TABLE_NAMED                                                                                                          \
    "(SELECT k.oid, k.relname, k.relowner, k.relrowsecurity FROM pg_catalog.pg_class AS k JOIN pg_catalog.pg_namespace AS n" \
    " ON n.oid = k.relnamespace WHERE n.nspname = $1) AS c ON c.relname = "

/* What a call asks about one instance: it is there if there is a row. */
#define OF_INSTANCE " FROM @head AS h LEFT JOIN "
#define WHERE_INSTANCE " WHERE h.namespace = $1 AND h.instance = $2 AND h.revision > 0"

const char *const wf_pg_sql_texts[WF_PG_COUNT] = {
    [WF_PG_SERVER] =
        "SELECT current_setting('server_version_num'), pg_is_in_recovery(),"
        " current_setting('transaction_read_only'), current_setting('synchronous_commit'),"
        " current_setting('fsync'), current_setting('full_page_writes'),"
        " current_setting('server_encoding'), pg_backend_pid()",
    [WF_PG_VERSION] = "SELECT max(number) FROM @version",
    [WF_PG_CHECK] =
        "SELECT 1 FROM (SELECT namespace, instance, revision, epoch, token, owner, tags,"
        " effects, acknowledged, status, created, updated, first, snapshot, machine,"
        " fingerprint, shard, attributes, owing FROM @head LIMIT 0) AS a,"
        " (SELECT namespace, instance, revision, now, event, text FROM @record LIMIT 0) AS b,"
        " (SELECT namespace, instance, kind, revision, now, text FROM @snapshot LIMIT 0) AS c,"
        " (SELECT namespace, instance, id, revision, now, artifacts, text FROM @checkpoint"
        " LIMIT 0) AS d,"
        " (SELECT namespace, fingerprint, text FROM @document LIMIT 0) AS e,"
        " (SELECT namespace, instance, number, owner, event, name, data, now, kind,"
        " interface, sender FROM @post LIMIT 0) AS f,"
        " (SELECT namespace, name, until, written, changes FROM @session LIMIT 0) AS g,"
        " (SELECT namespace, instance, deadline FROM @due LIMIT 0) AS h,"
        " (SELECT role, namespace FROM @tenant LIMIT 0) AS i,"
        " (SELECT namespace, kind, name, session, count, wanted, since FROM @permit"
        " LIMIT 0) AS j,"
        " (SELECT namespace, kind, name, count, per_ms, owed, at, granted FROM @rate LIMIT 0) AS m,"
        " (SELECT namespace, attempt, written FROM @fence LIMIT 0) AS k,"
        " (SELECT namespace, fingerprint, session FROM @service LIMIT 0) AS l,"
        " (SELECT namespace, instance, name, number, text FROM @attribute LIMIT 0) AS n",
    /* The tables whose row security is not as it was made. */
    [WF_PG_POLICIES] =
        "SELECT t.name FROM unnest(string_to_array('" WF_PG_TABLES "', ',')) AS t (name)"
        " LEFT JOIN " TABLE_NAMED "t.name WHERE NOT coalesce(c.relrowsecurity, false)"
        " OR (SELECT count(*) <> 1 OR NOT bool_and(p.polcmd = '*' AND p.polpermissive"
        " AND p.polroles = '{0}'::oid[] AND p.polwithcheck IS NULL"
        " AND pg_get_expr(p.polqual, p.polrelid) ~* 'tenant.*current_user')"
        " FROM pg_catalog.pg_policy AS p WHERE p.polrelid = c.oid)",
    [WF_PG_CURRENT_ROLE] = "SELECT row_security_active(c.oid), current_user, t.namespace"
                           " FROM (SELECT 'head' AS name) AS h JOIN " TABLE_NAMED "h.name"
                           " LEFT JOIN @tenant AS t ON t.role = current_user::text",
    [WF_PG_ROLE] = "SELECT r.rolbypassrls OR pg_has_role(r.oid, c.relowner, 'MEMBER'),"
                   " t.namespace FROM (SELECT 'head' AS name) AS h JOIN " TABLE_NAMED "h.name"
                   " JOIN pg_catalog.pg_roles AS r ON r.rolname = $2"
                   " LEFT JOIN @tenant AS t ON t.role = $2",
    /* For the rest of the transaction, plans suit any parameters: the server may say of a new namespace that it is
     * empty. And rows are found by their keys in the order of an index: a table may look small, and be full of
     * what was deleted lately. */
    [WF_PG_MODE] = "SELECT set_config('plan_cache_mode', 'force_generic_plan', true),"
                   " set_config('enable_seqscan', 'off', true),"
                   " set_config('enable_bitmapscan', 'off', true)",
    [WF_PG_LOCK] = "SELECT count(*) FROM (SELECT 1 FROM @head AS h"
                   " WHERE h.namespace = $1"
                   " AND h.instance = ANY ($2::text[]) ORDER BY h.instance FOR UPDATE) AS t",
    [WF_PG_LOCK_LIMITS] =
        "WITH asked AS (SELECT * FROM unnest($2::bigint[], $3::text[]) AS t (kind, name)),\n"
        "locked AS (INSERT INTO @permit AS p (namespace, kind, name, session, count, wanted,"
        " since) SELECT $1, a.kind, a.name, '', 0, 0, 0 FROM asked AS a"
        " ORDER BY a.kind, a.name COLLATE \"C\" ON CONFLICT (namespace, kind, name, session)"
        " DO UPDATE SET count = 0 RETURNING 1)\n"
        "SELECT count(*) FROM locked",
    /* What a session uses stays its own. Of the rest it gets what others have not, nor want of their share; the
     * share of those that have waited for longer is one at least. A session that counts on permits and is not alive ends the
     * transaction by the division. */
    [WF_PG_PERMITS] = "WITH " CLOCK(
        "$8") ",\n"
              "asked AS (SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[],"
              " $6::bigint[]) WITH ORDINALITY AS t (kind, name, most, working, wanted, n)),\n"
              "present AS (SELECT a.n, p.kind, p.name, p.session, p.count, p.wanted, p.since,"
              " p.session <> $7 AS other, s.name IS NOT NULL AS alive"
              " FROM asked AS a JOIN @permit AS p ON p.namespace = $1 AND p.kind = a.kind"
              " AND p.name = a.name AND p.session <> '' CROSS JOIN clock LEFT JOIN @session AS s"
              " ON s.namespace = $1 AND s.name = p.session AND s.until > clock.now),\n"
              "dropped AS (DELETE FROM @permit AS p USING present AS r WHERE p.namespace = $1"
              " AND p.kind = r.kind AND p.name = r.name AND p.session = r.session"
              " AND r.other AND NOT r.alive),\n"
              "others AS (SELECT * FROM present WHERE other AND alive),\n"
              "mine AS (SELECT a.*, coalesce(r.count, 0) AS count, CASE WHEN r.wanted > r.count"
              " THEN r.since ELSE clock.now END AS since, a.most / (1 + (SELECT count(*)"
              " FROM others AS o WHERE o.n = a.n AND o.wanted > 0)) AS share"
              " FROM asked AS a CROSS JOIN clock LEFT JOIN present AS r"
              " ON r.n = a.n AND NOT r.other),\n"
              "given AS (SELECT m.*, greatest(least(m.working, m.count), least(m.wanted,"
              " m.most - coalesce((SELECT sum(greatest(o.count, least(o.wanted,"
              " CASE WHEN o.wanted > o.count AND o.since < m.since THEN greatest(m.share, 1)"
              " ELSE m.share END))) FROM others AS o WHERE o.n = m.n), 0)::bigint)) AS granted,"
              " EXISTS (SELECT 1 FROM others AS o WHERE o.n = m.n AND o.wanted > o.count)"
              " AS contended FROM mine AS m),\n"
              "wrote AS (INSERT INTO @permit AS p (namespace, kind, name, session, count, wanted,"
              " since) SELECT $1, g.kind, g.name, $7, g.granted, g.wanted, CASE"
              " WHEN g.granted > g.count THEN clock.now ELSE g.since END"
              " FROM given AS g CROSS JOIN clock ON CONFLICT (namespace, kind, name, session)"
              " DO UPDATE SET count = excluded.count, wanted = excluded.wanted,"
              " since = excluded.since)\n"
              "SELECT g.n, g.granted, g.contended, 1 / (CASE WHEN $9::bigint > 0 AND NOT EXISTS"
              " (SELECT 1 FROM @session AS s CROSS JOIN clock WHERE s.namespace = $1"
              " AND s.name = $7 AND s.until > clock.now) THEN 0 ELSE 1 END)"
              " FROM given AS g ORDER BY g.n",

    /* A token bucket, as lib/store/token_bucket.c computes it. A statement may have waited for the lock of a row:
     * then its clock is behind, and the row stays as it is until that time is over. */
    [WF_PG_RATES] = "WITH " CLOCK(
        "$7") ",\n"
              "asked AS (SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[],"
              " $6::bigint[]) WITH ORDINALITY AS t (kind, name, count, per_ms, wanted, n)),\n"
              "wrote AS (INSERT INTO @rate AS r (namespace, kind, name, count, per_ms, owed, at,"
              " granted) SELECT $1, a.kind, a.name, a.count, a.per_ms, least(a.wanted, a.count)"
              " * a.per_ms, clock.now, least(a.wanted, a.count) FROM asked AS a CROSS JOIN clock"
              " ORDER BY a.kind, a.name COLLATE \"C\" ON CONFLICT (namespace, kind, name)"
              " DO UPDATE SET (count, per_ms, owed, at, granted) = (SELECT excluded.count,"
              " excluded.per_ms, t.owed + t.taken * excluded.per_ms, t.at, t.taken"
              " FROM (SELECT f.owed, f.at, least(excluded.granted,"
              " CASE WHEN f.owed + excluded.per_ms <= excluded.count * excluded.per_ms"
              " THEN (excluded.count * excluded.per_ms - f.owed) / excluded.per_ms"
              " WHEN f.owed + excluded.per_ms <= (excluded.count + 16) * excluded.per_ms THEN 1"
              " ELSE 0 END) AS taken"
              " FROM (SELECT CASE WHEN o.owed > 0 AND o.elapsed > 0 THEN CASE"
              " WHEN o.elapsed > o.owed / excluded.count THEN 0"
              " ELSE o.owed - o.elapsed * excluded.count END ELSE o.owed END AS owed,"
              " CASE WHEN o.owed > 0 AND o.elapsed < 0 AND o.elapsed >= -excluded.per_ms THEN r.at"
              " ELSE excluded.at END AS at"
              " FROM (SELECT excluded.at - r.at AS elapsed, CASE WHEN r.owed > 0"
              " AND r.per_ms <> excluded.per_ms THEN ((r.owed - 1) / r.per_ms + 1)"
              " * excluded.per_ms ELSE r.owed END AS owed) AS o) AS f) AS t)"
              " RETURNING kind, name, granted, owed - (count + CASE WHEN granted > 0 THEN 0"
              " ELSE 15 END) * per_ms AS over, count)\n"
              "SELECT a.n, w.granted, greatest(w.over + w.count - 1, 0) / w.count"
              " FROM asked AS a JOIN wrote AS w ON w.kind = a.kind AND w.name = a.name ORDER BY a.n",

    [WF_PG_ACKNOWLEDGE] =
        "WITH asked AS (SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[])"
        " WITH ORDINALITY AS t (instance, number, leaves, n)),\n"
        "found AS (SELECT a.*, h.owner, h.effects FROM asked AS a JOIN @head AS h"
        " ON h.namespace = $1 AND h.instance = a.instance AND h.revision > 0),\n"
        "fine AS (SELECT instance, max(number) AS number, bool_or(leaves = 1"
        " AND owner = $5::text AND NOT EXISTS (SELECT 1 FROM @post AS p"
        " WHERE p.namespace = $1 AND p.instance = found.instance)) AS leaves"
        " FROM found WHERE number <= effects GROUP BY instance),\n"
        "wrote AS (UPDATE @head AS h SET acknowledged = greatest(h.acknowledged, f.number),"
        " owner = CASE WHEN f.leaves THEN '' ELSE h.owner END FROM fine AS f"
        " WHERE h.namespace = $1 AND h.instance = f.instance"
        " AND (h.acknowledged < f.number OR f.leaves))\n"
        "SELECT a.n, f.n IS NOT NULL, f.number <= f.effects"
        " FROM asked AS a LEFT JOIN found AS f ON f.n = a.n ORDER BY a.n",
    [WF_PG_GIVE_UP] =
        "WITH asked AS (SELECT * FROM unnest($2::text[]) WITH ORDINALITY AS t (instance, n)),\n"
        "found AS (SELECT a.n, h.instance, h.owner FROM asked AS a JOIN @head AS h"
        " ON h.namespace = $1 AND h.instance = a.instance AND h.revision > 0),\n"
        "wrote AS (UPDATE @head AS h SET owner = '' FROM (SELECT DISTINCT instance FROM found"
        " WHERE owner = $3) AS f WHERE h.namespace = $1 AND h.instance = f.instance),\n"
        "posts AS (UPDATE @post AS p SET owner = '' FROM (SELECT DISTINCT instance FROM found"
        " WHERE owner = $3) AS f WHERE p.namespace = $1 AND p.instance = f.instance)\n"
        "SELECT a.n, f.n IS NOT NULL, f.owner IN ('', $3), f.owner"
        " FROM asked AS a LEFT JOIN found AS f ON f.n = a.n ORDER BY a.n",
    [WF_PG_TAKE] = "WITH " CLOCK(
        "$4") ",\n"
              "asked AS (SELECT * FROM unnest($2::text[]) WITH ORDINALITY AS t (instance, n)),\n"
              "found AS (SELECT a.n, h.instance, h.owner, s.until, h.owner IN ('', $3)"
              " OR s.until IS NULL OR s.until <= clock.now AS free FROM clock CROSS JOIN asked AS a"
              " JOIN @head AS h ON h.namespace = $1 AND h.instance = a.instance AND h.revision > 0"
              " LEFT JOIN @session AS s ON s.namespace = $1 AND s.name = h.owner),\n"
              "fine AS (SELECT DISTINCT instance, owner FROM found WHERE free AND owner <> $3),\n"
              "wrote AS (UPDATE @head AS h SET owner = $3 FROM fine AS f"
              " WHERE h.namespace = $1 AND h.instance = f.instance),\n"
              "posts AS (UPDATE @post AS p SET owner = $3 FROM fine AS f"
              " WHERE p.namespace = $1 AND p.instance = f.instance),\n"
              "told AS (UPDATE @session AS s SET changes = s.changes + 1 WHERE s.namespace = $1"
              " AND s.name IN (SELECT owner FROM fine))\n"
              "SELECT a.n, f.n IS NOT NULL, f.free, f.owner, f.until"
              " FROM asked AS a LEFT JOIN found AS f ON f.n = a.n ORDER BY a.n",
    [WF_PG_POST] =
        "WITH asked AS MATERIALIZED (SELECT * FROM unnest($2::text[],"
        " $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],"
        " $9::text[]) WITH ORDINALITY AS t (instance, event, name, data, now, kind, interface,"
        " sender, n)),\n"
        "found AS MATERIALIZED (SELECT a.*, h.owner, a.event IS NOT NULL AND ((SELECT 1"
        " FROM @record AS r WHERE r.namespace = $1 AND r.instance = a.instance"
        " AND r.event = a.event) = 1 OR (SELECT 1 FROM @post AS p"
        " WHERE p.namespace = $1 AND p.instance = a.instance"
        " AND p.event = a.event) = 1 OR EXISTS (SELECT 1"
        " FROM asked AS b WHERE b.instance = a.instance AND b.event = a.event AND b.n < a.n))"
        " AS known FROM asked AS a JOIN @head AS h ON h.namespace = $1"
        " AND h.instance = a.instance AND h.revision > 0),\n"
        "wrote AS (INSERT INTO @post (namespace, instance, owner, event, name, data, now,"
        " kind, interface, sender) SELECT $1, f.instance, f.owner, f.event, f.name,"
        " f.data, f.now, f.kind, f.interface, f.sender FROM found AS f WHERE f.known IS NOT TRUE"
        " ORDER BY f.n)\n"
        "SELECT a.n, f.n IS NOT NULL, f.known IS TRUE"
        " FROM asked AS a LEFT JOIN found AS f ON f.n = a.n ORDER BY a.n",

    /* A lease that is refused ends the transaction by the division. */
    [WF_PG_CLAIM] = "WITH " CLOCK(
        "$4") ",\n"
              "claimed AS (INSERT INTO @session AS s (namespace, name, until, written, changes)"
              " SELECT $1, $2, CASE WHEN $4::bigint IS NULL THEN clock.now + $6::bigint ELSE $5 END,"
              " $5::bigint, 0 FROM clock ON CONFLICT (namespace, name) DO UPDATE"
              " SET until = excluded.until, written = excluded.written"
              " WHERE s.until <= (SELECT now FROM clock) OR s.written = $3::bigint RETURNING 1)\n"
              "SELECT 1 / count(*) FROM claimed",
    [WF_PG_END_SESSION] = "WITH " CLOCK(
        "$4") ",\n"
              "ended AS (DELETE FROM @session AS s WHERE s.namespace = $1 AND s.name = $2"
              " AND (s.until <= (SELECT now FROM clock) OR s.written = $3::bigint) RETURNING 1)\n"
              "SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM ended) OR NOT EXISTS (SELECT 1"
              " FROM @session AS s WHERE s.namespace = $1 AND s.name = $2) THEN 1 ELSE 0 END)",
    [WF_PG_SESSION] = "SELECT until FROM @session AS s WHERE s.namespace = $1 AND s.name = $2",
    [WF_PG_ALIVE] = "INSERT INTO @session AS s (namespace, name, until, written, changes)"
                    " VALUES ($1, $2, $3::bigint, $3::bigint, 0) ON CONFLICT (namespace, name)"
                    " DO UPDATE SET until = excluded.until, written = excluded.written",
    [WF_PG_GONE] = "DELETE FROM @session AS s WHERE s.namespace = $1 AND s.name = $2",

    /* One statement, so that all of it is of one moment. */
    [WF_PG_LOADED] =
        "SELECT 2 AS part, " HEAD_COLUMNS
        ", NULL AS now, NULL AS text, NULL AS event" HEAD_TABLES
        "WHERE h.namespace = $1 AND h.instance = ANY ($2::text[]) AND h.revision > 0\n"
        "UNION ALL SELECT 3, x.instance, " PART(
            "x.text, NULL") " FROM @snapshot AS x WHERE x.namespace = $1 AND x.kind = 1"
                            " AND x.instance = ANY ($3::text[])\n"
                            "UNION ALL SELECT 4, x.instance, " PART(
                                "x.text, x.event") " FROM @head AS h JOIN @record AS x ON x.namespace = h.namespace"
                                                   " AND x.instance = h.instance AND x.revision > h.snapshot"
                                                   " WHERE h.namespace = $1 AND h.instance = ANY ($3::text[])\n"
                                                   "ORDER BY 2, 1, 8",
    [WF_PG_CHANGES] = "SELECT coalesce((SELECT s.changes FROM @session AS s"
                      " WHERE s.namespace = $1 AND s.name = $2), 0)",
    /* In the order of the index, so that the server skips what was deleted lately. */
    [WF_PG_WAITING] = "(SELECT 0, " POST_COLUMNS " FROM @post AS p WHERE p.namespace = $1"
                      " AND p.owner = $2 ORDER BY p.number LIMIT 10000)\n"
                      "UNION ALL (SELECT 1, " POST_COLUMNS
                      " FROM @post AS p WHERE p.namespace = $1 AND p.owner = ''"
                      " AND p.number > $3::bigint ORDER BY p.number LIMIT 10000)",
    [WF_PG_OWNED] = "SELECT " HEAD_COLUMNS HEAD_TABLES
                    "WHERE h.namespace = $1 AND h.owner = $2 AND h.owner <> ''"
                    " AND h.revision > 0 AND coalesce((SELECT s.changes FROM @session AS s"
                    " WHERE s.namespace = $1 AND s.name = $2), 0) <> $3::bigint"
                    " ORDER BY h.instance",

    [WF_PG_RESOLVE] =
        "UPDATE @head AS h SET epoch = h.epoch + 1"
        " FROM unnest($2::text[], $3::bigint[]) AS t (instance, base)"
        " WHERE h.namespace = $1 AND h.instance = t.instance AND h.revision = t.base"
        " AND t.base > 0 RETURNING h.instance, h.epoch",
    [WF_PG_RESOLVE_STARTS] =
        "INSERT INTO @head AS h (namespace, instance, revision, epoch, token, owner, tags,"
        " effects, acknowledged, status, created, updated, first, snapshot, machine,"
        " fingerprint, shard, attributes) SELECT $1, t.instance, 0, 1, '', '', '', 0, 0, 0, now.ms, now.ms,"
        " 0, 0, '', '', 0, '{}' FROM unnest($2::text[], $3::bigint[]) AS t (instance, base) CROSS JOIN"
        " (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now"
        " WHERE t.base = 0 ORDER BY t.instance COLLATE \"C\""
        " ON CONFLICT (namespace, instance) DO UPDATE SET epoch = h.epoch + 1"
        " WHERE h.revision = 0 RETURNING h.instance, h.epoch",
    [WF_PG_TOMBSTONES] = "SELECT h.instance, h.epoch FROM @head AS h WHERE h.namespace = $1"
                         " AND h.instance = ANY ($2::text[]) AND h.revision = 0",

    /* Old ones go: no connection lives for that long. */
    [WF_PG_FENCE] =
        "WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now),\n"
        "old AS (DELETE FROM @fence AS f WHERE f.namespace = $1"
        " AND f.written < (SELECT now - 604800000 FROM clock))\n"
        "INSERT INTO @fence (namespace, attempt, written) SELECT $1, t.attempt, clock.now"
        " FROM unnest($2::bigint[]) AS t (attempt) CROSS JOIN clock ON CONFLICT DO NOTHING",
    /* An attempt that was given up ends the transaction by the division. */
    [WF_PG_PASS] = "SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM @fence AS f"
                   " WHERE f.namespace = $1 AND f.attempt = $2::bigint) THEN 0 ELSE 1 END)",

    /* A head or a session that is older than it was known to be ends the transaction by the division. */
    [WF_PG_MARK] = "SELECT 1 / (CASE WHEN EXISTS (SELECT 1 FROM @head AS h"
                   " WHERE h.namespace = $1 AND h.instance = $2 AND h.revision > 0"
                   " AND h.created = $3::bigint AND h.revision < $4::bigint)"
                   " OR EXISTS (SELECT 1 FROM @session AS s WHERE s.namespace = $1"
                   " AND s.name = $5 AND s.written < $6::bigint) THEN 0 ELSE 1 END)",

    [WF_PG_HEAD] = "SELECT " HEAD_COLUMNS HEAD_TABLES
                   "WHERE h.namespace = $1 AND h.instance = $2 AND h.revision > 0",
    [WF_PG_LIST] = "SELECT " HEAD_COLUMNS HEAD_TABLES
                   "WHERE h.namespace = $1 AND h.revision > 0 AND h.instance > $2"
                   " AND ($3::text IS NULL OR h.machine = $3) AND ($4::text IS NULL"
                   " OR position(' ' || $4 || ' ' IN ' ' || h.tags || ' ') > 0)"
                   " AND ($5::text IS NULL OR h.owner = $5)"
                   " AND ($6::bigint = 0 OR h.status = $6)"
                   " AND ($7::bigint = 0 OR d.deadline <= $7) AND h.instance >= $8::text"
                   " AND starts_with(h.instance, $8) AND ($9::text IS NULL OR h.instance < $9)"
                   " AND ($11::bigint = 0 OR h.owing)"
                   " AND ($12::text IS NULL OR h.fingerprint = $12)"
                   " AND ($13::bigint = 0 OR h.shard = ANY ($14::bigint[]))" WF_PG_LIST_END,
    /* For the rest of the transaction, a page of a list is read in the order of an index. A server that has no
     * statistics yet would sort all that is behind the page, for each page. */
    [WF_PG_ORDER] = "SELECT set_config('enable_seqscan', 'off', true),"
                    " set_config('enable_bitmapscan', 'off', true)",
    /* What was written by a transaction that is not older than $3. The server looks at all heads, and only these
     * leave it: an index would cost each commit more. */
    [WF_PG_SINCE] =
        "WITH here AS (SELECT (extract(epoch FROM pg_postmaster_start_time())"
        " * 1000000)::bigint AS server,"
        " pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS seen),\n"
        "past AS (SELECT age(($3::bigint % 4294967296)::text::xid) AS age FROM here"
        " WHERE server = $2::bigint AND $3 >= seen - 1000000000 AND $3 <= seen)\n"
        "SELECT c.*, here.server, here.seen FROM here LEFT JOIN (SELECT " HEAD_COLUMNS
        " FROM past CROSS JOIN @head AS h LEFT JOIN LATERAL (SELECT x.deadline FROM @due AS x"
        " WHERE x.namespace = h.namespace AND x.instance = h.instance LIMIT 1) AS d ON true"
        " WHERE h.namespace = $1 AND h.revision > 0 AND age(h.xmin) <= past.age"
        " ORDER BY h.instance LIMIT 10001) AS c ON true",
    /* One step for each owner, however many instances it has. */
    [WF_PG_LAPSED] = "WITH RECURSIVE " CLOCK(
        "$2") ",\n"
              "owned (name) AS (SELECT min(h.owner) FROM @head AS h WHERE h.namespace = $1"
              " AND h.owner <> '' UNION ALL SELECT (SELECT min(h.owner) FROM @head AS h"
              " WHERE h.namespace = $1 AND h.owner <> '' AND h.owner > o.name) FROM owned AS o"
              " WHERE o.name IS NOT NULL)\n"
              "SELECT o.name FROM owned AS o CROSS JOIN clock WHERE o.name IS NOT NULL"
              " AND NOT EXISTS (SELECT 1 FROM @session AS s WHERE s.namespace = $1"
              " AND s.name = o.name AND s.until > clock.now)\n"
              "UNION ALL SELECT '' WHERE EXISTS (SELECT 1 FROM @head AS h WHERE h.namespace = $1"
              " AND h.owner = '' AND h.status = 1) OR EXISTS (SELECT 1 FROM @head AS h"
              " WHERE h.namespace = $1 AND h.owner = '' AND h.owing)",
    /* The rows of sessions that are gone are deleted by the session that comes first. */
    [WF_PG_SERVE] = "WITH " CLOCK(
        "$3") ",\n"
              "gone AS (DELETE FROM @service AS v USING clock WHERE v.namespace = $1 AND CASE"
              " WHEN v.session = $2 THEN v.fingerprint <> ALL ($4::text[])"
              " ELSE NOT EXISTS (SELECT 1 FROM @session AS s WHERE s.namespace = $1"
              " AND s.name = v.session AND s.until > clock.now) END)\n"
              "INSERT INTO @service (namespace, fingerprint, session)"
              " SELECT $1, f.fingerprint, $2 FROM unnest($4::text[]) AS f (fingerprint)"
              " WHERE NOT EXISTS (SELECT 1 FROM @service AS v WHERE v.namespace = $1"
              " AND v.fingerprint = f.fingerprint AND v.session = $2) AND EXISTS (SELECT 1"
              " FROM @document AS d WHERE d.namespace = $1 AND d.fingerprint = f.fingerprint)"
              " ON CONFLICT DO NOTHING",
    [WF_PG_SERVING] = "WITH " CLOCK(
        "$3") "\n"
              "SELECT v.session, v.fingerprint FROM @service AS v CROSS JOIN clock"
              " WHERE v.namespace = $1 AND (v.session = $2 OR EXISTS (SELECT 1 FROM @session AS s"
              " WHERE s.namespace = $1 AND s.name = v.session AND s.until > clock.now))",
    /* One step for each owner and document, however many instances there are. */
    [WF_PG_LEFT] = "WITH RECURSIVE " CLOCK(
        "$3") ",\n"
              "found (owner, fingerprint) AS ((SELECT h.owner, h.fingerprint FROM @head AS h"
              " WHERE h.namespace = $1 AND h.status = 1 ORDER BY h.owner, h.fingerprint LIMIT 1)"
              " UNION ALL SELECT n.owner, n.fingerprint FROM found AS f CROSS JOIN LATERAL"
              " (SELECT h.owner, h.fingerprint FROM @head AS h WHERE h.namespace = $1"
              " AND h.status = 1 AND (h.owner, h.fingerprint) > (f.owner, f.fingerprint)"
              " ORDER BY h.owner, h.fingerprint LIMIT 1) AS n)\n"
              "SELECT f.owner, f.fingerprint FROM found AS f CROSS JOIN clock"
              " WHERE f.owner = '' OR NOT EXISTS (SELECT 1 FROM @session AS s"
              " WHERE s.namespace = $1 AND s.name = f.owner AND s.until > clock.now)",
    [WF_PG_RECORDS] = "SELECT r.revision, r.now, r.text, r.event" OF_INSTANCE
                      "LATERAL (SELECT * FROM @record AS x WHERE x.namespace = $1"
                      " AND x.instance = $2 AND x.revision >= $3::bigint"
                      " AND x.revision <= $4::bigint ORDER BY x.revision LIMIT 100) AS r"
                      " ON true" WHERE_INSTANCE " ORDER BY r.revision",
    [WF_PG_SNAPSHOT] = "SELECT x.revision, x.now, x.text" OF_INSTANCE
                       "@snapshot AS x ON x.namespace = $1 AND x.instance = $2"
                       " AND x.kind = $3::bigint" WHERE_INSTANCE,
    [WF_PG_CHECKPOINT] = "SELECT x.revision, x.now, x.text" OF_INSTANCE
                         "@checkpoint AS x ON x.namespace = $1 AND x.instance = $2"
                         " AND x.id = $3" WHERE_INSTANCE,
    [WF_PG_CHECKPOINTS] = "SELECT x.revision, x.now, x.artifacts, x.id" OF_INSTANCE
                          "@checkpoint AS x ON x.namespace = $1"
                          " AND x.instance = $2" WHERE_INSTANCE " ORDER BY x.revision",
    [WF_PG_DOCUMENT] = "SELECT d.text FROM @document AS d"
                       " WHERE d.namespace = $1 AND d.fingerprint = $2",
    [WF_PG_SEEN_ID] =
        "SELECT EXISTS (SELECT 1 FROM @record AS r WHERE r.namespace = $1"
        " AND r.instance = $2 AND r.event = $3) OR EXISTS (SELECT 1 FROM @post AS p"
        " WHERE p.namespace = $1 AND p.instance = $2 AND p.event = $3)"
        " FROM @head AS h" WHERE_INSTANCE,
    [WF_PG_INBOX] = "SELECT 0, " POST_COLUMNS " FROM @post AS p WHERE p.namespace = $1"
                    " AND p.number > $2::bigint ORDER BY p.number LIMIT $3::bigint",
    [WF_PG_INBOX_OF] = "SELECT 0, " POST_COLUMNS OF_INSTANCE
                       "LATERAL (SELECT * FROM @post AS x WHERE x.namespace = $1"
                       " AND x.instance = $2 AND x.number > $3::bigint ORDER BY x.number"
                       " LIMIT $4::bigint) AS p ON true" WHERE_INSTANCE " ORDER BY p.number",

    /* Both come after WF_PG_LOCK, which has the second parameter. */
    [WF_PG_REMOVE] =
        "WITH gone AS (DELETE FROM @head AS h WHERE h.namespace = $1 AND h.instance = $3"
        " AND h.revision > 0 RETURNING h.owner),\n"
        "records AS (DELETE FROM @record AS x WHERE x.namespace = $1 AND x.instance = $3),\n"
        "snapshots AS (DELETE FROM @snapshot AS x WHERE x.namespace = $1"
        " AND x.instance = $3),\n"
        "checkpoints AS (DELETE FROM @checkpoint AS x WHERE x.namespace = $1"
        " AND x.instance = $3),\n"
        "posts AS (DELETE FROM @post AS x WHERE x.namespace = $1 AND x.instance = $3),\n"
        "due AS (DELETE FROM @due AS x WHERE x.namespace = $1 AND x.instance = $3),\n"
        "told AS (UPDATE @session AS s SET changes = s.changes + 1 WHERE s.namespace = $1"
        " AND s.name IN (SELECT owner FROM gone))\n"
        "SELECT count(*) FROM gone",
    [WF_PG_CUT] =
        "WITH found AS (SELECT h.first, h.snapshot FROM @head AS h WHERE h.namespace = $1"
        " AND h.instance = $3 AND h.revision > 0),\n"
        "fine AS (SELECT snapshot FROM found WHERE first < $4::bigint"
        " AND $4::bigint <= snapshot),\n"
        "gone AS (DELETE FROM @record AS x WHERE x.namespace = $1 AND x.instance = $3"
        " AND x.revision < $4::bigint AND EXISTS (SELECT 1 FROM fine)),\n"
        "wrote AS (UPDATE @head AS h SET first = $4::bigint WHERE h.namespace = $1"
        " AND h.instance = $3 AND EXISTS (SELECT 1 FROM fine)),\n"
        "anchor AS (INSERT INTO @snapshot (namespace, instance, kind, revision, now, text)"
        " SELECT $1, $3, k.kind, x.revision, x.now, $5 FROM fine CROSS JOIN @record AS x"
        " CROSS JOIN (VALUES (1), (2)) AS k (kind) WHERE x.namespace = $1 AND x.instance = $3"
        " AND x.revision = $4::bigint AND (k.kind = 2 OR fine.snapshot = $4::bigint)"
        " ON CONFLICT (namespace, instance, kind) DO UPDATE SET revision = excluded.revision,"
        " now = excluded.now, text = excluded.text)\n"
        "SELECT found.first, found.snapshot, EXISTS (SELECT 1 FROM fine) FROM found",
};
