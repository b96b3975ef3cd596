-- begin_read: one moment of a workspace
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- settings_read: where the tables are
SELECT set_config('search_path', $1, true);

-- head_read: a workspace's row number and counters, if it is there, and the time
SELECT id, seq, plans, tasks, nodes, hash, extract(epoch FROM clock_timestamp())::float8
FROM (SELECT $1::text AS asked) AS one LEFT JOIN workspaces ON name = asked;

-- begin_write: exclusive access to a workspace
BEGIN ISOLATION LEVEL READ COMMITTED;

-- settings_write: where the tables are, how many seconds to wait for another writer, and how durable the commit is
SELECT set_config('search_path', $1, true), set_config('lock_timeout', $2, true),
       set_config('synchronous_commit', CASE
         WHEN $3 = 'on' AND current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE $3
       END, true), set_config('idle_in_transaction_session_timeout', '60s', true);

-- head_write: a workspace's row number and counters, exclusively, and the time
SELECT id, seq, plans, tasks, nodes, hash, extract(epoch FROM clock_timestamp())::float8
FROM workspaces WHERE name = $1 FOR UPDATE;

-- version: the number of the schema; no row if this transaction began before the schema was put in place
SELECT version FROM schema_version;

-- begin_work: a transaction for statements of its own
BEGIN;
SELECT set_config('search_path', %(schema)s, true), set_config('lock_timeout', %(patience)s, true);

-- begin_inspection: one moment of all workspaces
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT set_config('search_path', %(schema)s, true), set_config('lock_timeout', %(patience)s, true);

-- now: the time on the database's clock
SELECT extract(epoch FROM clock_timestamp())::float8;

-- lock_store: keep all writers out; those who only lock a row, too
LOCK TABLE workspaces IN EXCLUSIVE MODE;

-- lock_readers_out: keep everybody out
LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE;

-- grants: statements that give a schema the rights that another one has
SELECT format('GRANT %s ON SCHEMA %I TO %s', given.privilege_type, $2::text,
              CASE WHEN given.grantee = 0 THEN 'PUBLIC' ELSE given.grantee::regrole::text END)
FROM pg_namespace AS n CROSS JOIN LATERAL aclexplode(n.nspacl) AS given
WHERE n.nspname = $1 AND given.grantee <> n.nspowner
UNION ALL
SELECT format('GRANT %s ON TABLE %I.%I TO %s', given.privilege_type, $2::text, c.relname,
              CASE WHEN given.grantee = 0 THEN 'PUBLIC' ELSE given.grantee::regrole::text END)
FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relkind = 'r'
CROSS JOIN LATERAL aclexplode(c.relacl) AS given
WHERE n.nspname = $1 AND given.grantee <> c.relowner AND c.relname = ANY ($3::text[]);

-- head: a workspace's row number and counters
SELECT id, seq, plans, tasks, nodes, hash FROM workspaces WHERE name = $1;

-- lock_new_workspace: one writer at a time makes a workspace that is not there yet
SELECT pg_advisory_xact_lock(hashtextextended($1, 20261118));

-- lock_workspace: a workspace's row number and counters, exclusively
SELECT id, seq, plans, tasks, nodes, hash FROM workspaces WHERE name = $1 FOR UPDATE;

-- new_workspace: the first write to a workspace makes it
INSERT INTO workspaces (name) VALUES ($1) RETURNING id;

-- heads: how far the logs of some workspaces are
SELECT name, seq FROM workspaces WHERE name = ANY ($1::text[]);

-- workspaces: all of them, by name
SELECT name FROM workspaces ORDER BY name;

-- load: the documents and tallies at some places; either may be missing
SELECT asked.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM unnest($2::text[]) AS asked (place)
LEFT JOIN documents AS d ON d.workspace = $1 AND d.place = asked.place
LEFT JOIN tallies AS t ON t.workspace = $1 AND t.place = asked.place;

-- texts: the documents at some places
SELECT place, text FROM documents WHERE workspace = $1 AND place = ANY ($2::text[]);

-- span: the documents of a range, in order, with their tallies
SELECT d.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM documents AS d LEFT JOIN tallies AS t ON t.workspace = d.workspace AND t.place = d.place
WHERE d.workspace = $1 AND d.place >= $2 AND d.place < $3 ORDER BY d.place LIMIT $4;

-- count: how many documents a range has
SELECT count(*) FROM documents WHERE workspace = $1 AND place >= $2 AND place < $3;

-- find: the places of steps and nodes, each with its document and tally
SELECT n.name, n.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM names AS n
LEFT JOIN documents AS d ON d.workspace = $1 AND d.place = n.place
LEFT JOIN tallies AS t ON t.workspace = $1 AND t.place = n.place
WHERE n.workspace = $1 AND n.name = ANY ($2::text[]);

-- place_of_name: the place of a step or node, for those who look at every one
SELECT n.place FROM workspaces AS w JOIN names AS n ON n.workspace = w.id WHERE w.name = $1 AND n.name = $2;

-- posting_ranges: the places that have a term, range by range; with their documents and tallies, if asked for
SELECT found.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM (
  SELECT asked.number, found.place
  FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS asked (first, last, number)
  CROSS JOIN LATERAL (
    SELECT place FROM terms
    WHERE workspace = $1 AND term = $2 AND place >= asked.first AND place < asked.last
    ORDER BY place LIMIT $5
  ) AS found
  ORDER BY asked.number, found.place LIMIT $5
) AS found
LEFT JOIN documents AS d ON $6 AND d.workspace = $1 AND d.place = found.place
LEFT JOIN tallies AS t ON $6 AND t.workspace = $1 AND t.place = found.place
ORDER BY found.number, found.place;

-- meetings: the places that have a term of every clause, range by range, at the cost of the shortest list; with documents, if asked for
SELECT found.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM (
SELECT asked.number, found.place
FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS asked (first, last, number)
CROSS JOIN LATERAL (
  WITH RECURSIVE walk (at, clause, agreed) AS (
    SELECT asked.first COLLATE "C", 0::bigint, 0::bigint
    UNION ALL
    SELECT CASE WHEN walk.agreed = $6 THEN walk.at || E'\x01' ELSE next.place END COLLATE "C",
           CASE WHEN walk.agreed = $6 THEN walk.clause ELSE (walk.clause + 1) % $6 END,
           CASE WHEN walk.agreed = $6 THEN 0 WHEN next.place = walk.at THEN walk.agreed + 1 ELSE 1 END
    FROM walk CROSS JOIN LATERAL (
      SELECT min(first.place) AS place
      FROM unnest($2::text[], $3::bigint[]) AS wanted (term, clause)
      CROSS JOIN LATERAL (
        SELECT place FROM terms
        WHERE workspace = $1 AND term = wanted.term AND place >= walk.at ORDER BY place LIMIT 1
      ) AS first
      WHERE wanted.clause = walk.clause AND walk.agreed < $6
    ) AS next
    WHERE walk.agreed = $6 OR next.place < asked.last
  )
  SELECT at AS place FROM walk WHERE agreed = $6 LIMIT $7
) AS found
LIMIT $7
) AS found
LEFT JOIN documents AS d ON $8 AND d.workspace = $1 AND d.place = found.place
LEFT JOIN tallies AS t ON $8 AND t.workspace = $1 AND t.place = found.place
ORDER BY found.number, found.place;

-- walk: the postings after one, in order, up to a term, with their documents and tallies
SELECT found.term, found.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM (
  SELECT term, place FROM terms WHERE workspace = $1 AND (term, place) > ($2, $3) AND term < $4
  ORDER BY term, place LIMIT $5
) AS found
LEFT JOIN documents AS d ON d.workspace = $1 AND d.place = found.place
LEFT JOIN tallies AS t ON t.workspace = $1 AND t.place = found.place
ORDER BY found.term, found.place;

-- events: the log after a seq
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = $1 AND seq > $2 AND seq <= $4 ORDER BY seq LIMIT $3;

-- events_of_root: the log of one plan or task after a seq
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = $1 AND root = $5 AND seq > $2 AND seq <= $4 ORDER BY seq LIMIT $3;

-- recent: the log after a seq, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = $1 AND seq > $2 AND seq <= $4 ORDER BY seq DESC LIMIT $3;

-- recent_of_root: the log of one plan or task after a seq, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = $1 AND root = $5 AND seq > $2 AND seq <= $4 ORDER BY seq DESC LIMIT $3;

-- events_of_step: the log of one step after a seq
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = $1 AND step_id = $5 AND seq > $2 AND seq <= $4 ORDER BY seq LIMIT $3;

-- recent_of_step: the log of one step after a seq, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = $1 AND step_id = $5 AND seq > $2 AND seq <= $4 ORDER BY seq DESC LIMIT $3;

-- notes_of_root: the notes on a plan or task and on its steps, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events
WHERE workspace = $1 AND root = $3 AND substr(body, 1, 20) = '{"type":"step_noted"' AND seq <= $4
ORDER BY seq DESC LIMIT $2;

-- notes_of_steps: the newest notes on some steps; an empty id is the plan or task itself
SELECT found.* FROM unnest($5::text[]) AS asked (step)
CROSS JOIN LATERAL (
  SELECT seq, operation, at, actor, root, step_id, path, body FROM events
  WHERE workspace = $1 AND root = $3 AND step_id IS NOT DISTINCT FROM nullif(asked.step, '')
    AND substr(body, 1, 20) = '{"type":"step_noted"' AND seq <= $4
  ORDER BY seq DESC LIMIT $2
) AS found
ORDER BY found.seq DESC LIMIT $2;

-- operations: the calls before one, newest first
SELECT operation, last_seq, tool, at, actor, kind, of, undone_by, hash
FROM operations WHERE workspace = $1 AND operation < $2 ORDER BY operation DESC LIMIT $3;

-- operations_of_root: the calls that touched one plan or task, newest first
SELECT o.operation, o.last_seq, o.tool, o.at, o.actor, o.kind, o.of, o.undone_by, o.hash
FROM touches AS t JOIN operations AS o ON o.workspace = t.workspace AND o.operation = t.operation
WHERE t.workspace = $1 AND t.place = $4 AND t.operation < $2 ORDER BY t.operation DESC LIMIT $3;

-- images: what an operation changed in a range of places
SELECT place, operation, before, after FROM images
WHERE workspace = $1 AND operation = $2 AND place >= $3 AND place < $4 ORDER BY place LIMIT $5;

-- images_of_place: what was changed at a place before an operation, newest first
SELECT place, operation, before, after FROM images
WHERE workspace = $1 AND place = $2 AND operation < $3 ORDER BY operation DESC LIMIT $4;

-- images_after: the first change after an operation at each of some places
SELECT found.place, found.operation, found.before, found.after FROM unnest($2::text[]) AS asked (place)
CROSS JOIN LATERAL (
  SELECT place, operation, before, after FROM images
  WHERE workspace = $1 AND place = asked.place AND operation > $3 ORDER BY operation LIMIT 1
) AS found;

-- artifacts: the evidence for a place, newest first
SELECT place, seq, number, body FROM artifacts
WHERE workspace = $1 AND place = $2 AND seq <= $4 ORDER BY seq DESC, number LIMIT $3;

-- artifacts_from: what is kept for a place from a seq and number on, oldest first
SELECT place, seq, number, body FROM artifacts
WHERE workspace = $1 AND place = $2 AND (seq, number) >= ($3, $4) AND seq <= $6 ORDER BY seq, number LIMIT $5;

-- evidence_counts: how much evidence some places have, each counted up to a limit
SELECT asked.place, (SELECT count(*) FROM (
  SELECT 1 FROM artifacts WHERE workspace = $1 AND place = asked.place AND seq <= $4 LIMIT $3
) AS few) FROM unnest($2::text[]) AS asked (place);

-- texts_before: the first image of each place in some plans and tasks after an operation
SELECT DISTINCT ON (i.place) i.place, i.before
FROM unnest($2::text[]) AS asked (place)
JOIN touches AS t ON t.workspace = $1 AND t.place = asked.place AND t.operation > $3
JOIN images AS i ON i.workspace = $1 AND i.operation = t.operation
  AND i.place >= asked.place AND i.place < asked.place || '/'
ORDER BY i.place, i.operation;

-- changed_places: the places of a range that changed after an operation
SELECT DISTINCT place FROM images
WHERE workspace = $1 AND place >= $2 AND place < $3 AND operation > $4 ORDER BY place;

-- changed_roots: the plans and tasks that the log after an operation is about
SELECT DISTINCT root FROM events
WHERE workspace = $1 AND seq > $2 AND operation > $2 AND (root >= 'p' AND root < 'q' OR root >= 't' AND root < 'u')
ORDER BY root;

-- left_plan: the tasks that left a plan after an operation
SELECT DISTINCT place FROM images WHERE workspace = $1 AND leaves = $2 AND operation > $3 ORDER BY place;

-- revisions: the revisions of some places after an operation
SELECT asked.place, (
  SELECT revision FROM touches WHERE workspace = $1 AND place = asked.place AND operation <= $3
  ORDER BY operation DESC LIMIT 1
) FROM unnest($2::text[]) AS asked (place);

-- written: what a package in a project folder held when it was last written
SELECT body FROM written WHERE workspace = $1 AND folder = $2 AND taskdoc = $3;

-- lease: when a holder of claims last made a call
SELECT seen_at FROM leases WHERE workspace = $1 AND holder = $2;

-- put_changes: what almost every call writes, in one statement
WITH put_head AS (
  UPDATE workspaces SET seq = $2, plans = $3, tasks = $4, nodes = $5, hash = $6 WHERE id = $1
), put_documents AS (
  INSERT INTO documents (workspace, place, text) SELECT $1, * FROM unnest($7::text[], $8::text[])
  ON CONFLICT (workspace, place) DO UPDATE SET text = excluded.text
), put_tallies AS (
  INSERT INTO tallies (workspace, place, revision, next_step, next_node, total, done, blocked, ready, waiting,
                       unproven, tasks, tasks_done, tasks_begun, claimed)
  SELECT $1, * FROM unnest($9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
                           $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[],
                           $20::bigint[], $21::bigint[], $22::bigint[])
  ON CONFLICT (workspace, place) DO UPDATE SET
    revision = excluded.revision, next_step = excluded.next_step, next_node = excluded.next_node,
    total = excluded.total, done = excluded.done, blocked = excluded.blocked, ready = excluded.ready,
    waiting = excluded.waiting, unproven = excluded.unproven, tasks = excluded.tasks,
    tasks_done = excluded.tasks_done, tasks_begun = excluded.tasks_begun, claimed = excluded.claimed
), put_terms AS (
  INSERT INTO terms (workspace, term, place) SELECT $1, * FROM unnest($23::text[], $24::text[])
), put_events AS (
  INSERT INTO events (workspace, seq, operation, at, actor, root, step_id, path, body)
  SELECT $1, * FROM unnest($25::bigint[], $26::bigint[], $27::text[], $28::text[], $29::text[], $30::text[],
                           $31::text[], $32::text[])
), put_images AS (
  INSERT INTO images (workspace, place, operation, before, after, leaves)
  SELECT $1, * FROM unnest($33::text[], $34::bigint[], $35::text[], $36::text[], $37::text[])
), put_touches AS (
  INSERT INTO touches (workspace, place, operation, revision)
  SELECT $1, * FROM unnest($38::text[], $39::bigint[], $40::bigint[])
)
INSERT INTO operations (workspace, operation, last_seq, tool, at, actor, kind, of, undone_by, hash)
SELECT $1, * FROM unnest($41::bigint[], $42::bigint[], $43::text[], $44::text[], $45::text[], $46::text[],
                         $47::bigint[], $48::bigint[], $49::text[]);

-- drop_documents: documents that are no more
DELETE FROM documents WHERE workspace = $1 AND place = ANY ($2::text[]);

-- drop_tallies: places at which nothing is counted any more
DELETE FROM tallies WHERE workspace = $1 AND place = ANY ($2::text[]);

-- drop_terms: documents are no longer found by some terms
DELETE FROM terms USING unnest($2::text[], $3::text[]) AS gone (term, place)
WHERE terms.workspace = $1 AND terms.term = gone.term AND terms.place = gone.place;

-- put_names: the places of steps and nodes that are new, or were moved
INSERT INTO names (workspace, name, place) SELECT $1, * FROM unnest($2::text[], $3::text[])
ON CONFLICT (workspace, name) DO UPDATE SET place = excluded.place;

-- put_undone: that operations are undone, or in effect again
UPDATE operations SET undone_by = changed.undone_by
FROM unnest($2::bigint[], $3::bigint[]) AS changed (undone_by, operation)
WHERE operations.workspace = $1 AND operations.operation = changed.operation;

-- put_artifacts: pieces of evidence
INSERT INTO artifacts (workspace, place, seq, number, body)
SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[]);

-- put_masked_texts: texts that held the word "[masked]" when masking ended
INSERT INTO masked_texts (workspace, source, place, seq) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[]);

-- put_written: what packages hold now
INSERT INTO written (workspace, folder, taskdoc, body) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])
ON CONFLICT (workspace, folder, taskdoc) DO UPDATE SET body = excluded.body;

-- drop_written: packages that were removed
DELETE FROM written USING unnest($2::text[], $3::text[]) AS gone (folder, taskdoc)
WHERE written.workspace = $1 AND written.folder = gone.folder AND written.taskdoc = gone.taskdoc;

-- put_leases: holders of claims made a call
INSERT INTO leases (workspace, holder, seen_at) SELECT $1, * FROM unnest($2::text[], $3::text[])
ON CONFLICT (workspace, holder) DO UPDATE SET seen_at = excluded.seen_at;

-- drop_leases: holders not seen for so long that nothing of theirs can live
DELETE FROM leases WHERE workspace = $1 AND seen_at < ANY ($2::text[]);

-- request: an answered write by its id
SELECT id, at, digest, reply FROM requests WHERE workspace = $1 AND id = $2;

-- put_requests: writes were answered
INSERT INTO requests (workspace, id, at, digest, reply)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
ON CONFLICT (workspace, id) DO UPDATE SET at = excluded.at, digest = excluded.digest, reply = excluded.reply;

-- drop_requests: some of the writes answered before a time are forgotten, the oldest first
DELETE FROM requests WHERE workspace = $1 AND id IN (
  SELECT id FROM requests WHERE workspace = $1 AND at < $2 ORDER BY at LIMIT $3
);

-- notify: wakes those who wait, once the transaction is committed
SELECT pg_notify($1, $2);

-- is_committed: whether an operation is in the log, after the connection was lost in its commit
SELECT o.hash FROM workspaces AS w JOIN operations AS o ON o.workspace = w.id
WHERE w.name = $1 AND o.operation = $2;

-- move_searched: what was said at some places is found at others
UPDATE searched SET place = moved.here, live = true
FROM unnest($2::text[], $3::text[]) AS moved (was, here)
WHERE searched.workspace = $1 AND searched.place = moved.was AND searched.seq > 0;

-- put_searched: rows in the order in which they were written; an event is found while its place is
INSERT INTO searched (workspace, place, seq, live, mark, title, words)
SELECT $1, new.place, new.seq, new.seq = 0 OR coalesce(own.live, false), new.mark, new.title,
       array_to_tsvector(string_to_array(new.words, ' '))
FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[]) WITH ORDINALITY
  AS new (place, seq, mark, title, words, number)
LEFT JOIN searched AS own ON own.workspace = $1 AND own.place = new.place AND own.seq = 0
ORDER BY new.number
ON CONFLICT (workspace, place, seq) DO UPDATE SET
  number = excluded.number, mark = excluded.mark, title = excluded.title, words = excluded.words
WHERE searched.mark <> excluded.mark;

-- show_searched: what is at some places is found again
UPDATE searched SET live = true WHERE workspace = $1 AND place = ANY ($2::text[]) AND NOT live;

-- hide_searched: what is at some places is found no more
UPDATE searched SET live = false WHERE workspace = $1 AND place = ANY ($2::text[]) AND live;

-- drop_searched: the rows of a workspace
DELETE FROM searched WHERE workspace = $1;

-- count_matches: how many rows have all words, counted up to a limit
SELECT count(*) FROM (SELECT 1 FROM searched WHERE workspace = $1 AND words @@ $2::tsquery LIMIT $3) AS few;

-- matches: the rows that have all words, newest first
SELECT number, place, seq, title FROM searched
WHERE workspace = $1 AND words @@ $2::tsquery AND live AND number <= $3 ORDER BY number DESC LIMIT $4;

-- newest_matches: the newest rows that have all words among a bounded number of rows, and the oldest of these
WITH newest AS MATERIALIZED (
  SELECT number, place, seq, title, live AND words @@ $2::tsquery AS found FROM searched
  WHERE workspace = $1 AND number <= $3 ORDER BY number DESC LIMIT $4
)
SELECT number, place, seq, title, found FROM newest
WHERE found OR number = (SELECT min(number) FROM newest) ORDER BY number DESC;

-- all_documents: every document, in order
SELECT place, text FROM documents WHERE workspace = $1 ORDER BY place;

-- all_images: every image, an operation's together
SELECT place, operation, before, after FROM images WHERE workspace = $1 ORDER BY operation, place;

-- all_tallies: every tally, in order
SELECT place, revision, next_step, next_node, total, done, blocked, ready, waiting,
       unproven, tasks, tasks_done, tasks_begun, claimed
FROM tallies WHERE workspace = $1 ORDER BY place;

-- all_terms: every posting, in order
SELECT term, place FROM terms WHERE workspace = $1 ORDER BY term, place;

-- all_names: every id, in order
SELECT name, place FROM names WHERE workspace = $1 ORDER BY name;

-- all_events: the whole log
SELECT seq, operation, at, actor, root, step_id, path, body FROM events WHERE workspace = $1 ORDER BY seq;

-- all_operations: every call
SELECT operation, last_seq, tool, at, actor, kind, of, undone_by, hash
FROM operations WHERE workspace = $1 ORDER BY operation;

-- all_artifacts: every piece of evidence, in the order of the log
SELECT place, seq, number, body FROM artifacts WHERE workspace = $1 ORDER BY seq, place, number;

-- all_touches: every revision, an operation's together
SELECT place, operation, revision FROM touches WHERE workspace = $1 ORDER BY operation, place;

-- all_masked_texts: what held the word "[masked]" when masking ended
SELECT source, place, seq FROM masked_texts WHERE workspace = $1 ORDER BY source, place, seq;

-- all_searched: everything that can be found, and what was said of things that are gone, in order
SELECT place, seq, live, title, tsvector_to_array(words) FROM searched
WHERE workspace = $1 AND (seq > 0 OR live) ORDER BY place, seq;

-- version: the schema's number; the table is missing in a database that has no store yet
SELECT version FROM schema_version;

-- has_schema: whether there is a store, and whether another program's tables are in its place
SELECT (SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'),
       (SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = $1);

-- has_namespace: whether the schema itself is there, with or without tables
SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1;

-- lock_schema: one process at a time creates or upgrades the schema
SELECT pg_advisory_xact_lock(5246882215112311);

-- tables: what is in the schema
SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1 ORDER BY tablename;

-- size: the bytes of a schema's tables and their indexes
SELECT coalesce(sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)), 0)::bigint
FROM pg_catalog.pg_tables WHERE schemaname = $1;

-- orphans: rows of workspaces that do not exist
SELECT 'documents', workspace, count(*) FROM documents
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'events', workspace, count(*) FROM events
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'operations', workspace, count(*) FROM operations
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'images', workspace, count(*) FROM images
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace;
