-- head: a workspace's row number and counters
SELECT id, seq, plans, tasks, nodes, hash FROM workspaces WHERE name = ?;

-- new_workspace: the first write to a workspace makes it
INSERT INTO workspaces (name, seq, plans, tasks, nodes) VALUES (?, 0, 0, 0, 0) RETURNING id;

-- rehearse: a write that is always taken back, to see whether one is possible
INSERT INTO workspaces (name, seq, plans, tasks, nodes) VALUES ('', 0, 0, 0, 0);

-- workspaces: all of them, by name
SELECT name FROM workspaces ORDER BY name;

-- load: a document and its tally; either may be missing
SELECT d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM (SELECT ?1 AS workspace, ?2 AS place) AS asked
LEFT JOIN documents AS d ON d.workspace = asked.workspace AND d.place = asked.place
LEFT JOIN tallies AS t ON t.workspace = asked.workspace AND t.place = asked.place;

-- load_many: the documents and tallies at some places, given as a JSON list
SELECT asked.value, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM json_each(?2) AS asked
LEFT JOIN documents AS d ON d.workspace = ?1 AND d.place = asked.value
LEFT JOIN tallies AS t ON t.workspace = ?1 AND t.place = asked.value;

-- texts: the documents at some places, given as a JSON list
SELECT d.place, d.text FROM json_each(?2) AS asked
CROSS JOIN documents AS d ON d.workspace = ?1 AND d.place = asked.value;

-- span: the documents of a range, in order, with their tallies
SELECT d.place, d.text, t.revision, t.next_step, t.next_node, t.total, t.done, t.blocked, t.ready, t.waiting,
       t.unproven, t.tasks, t.tasks_done, t.tasks_begun, t.claimed
FROM documents AS d LEFT JOIN tallies AS t ON t.workspace = d.workspace AND t.place = d.place
WHERE d.workspace = ? AND d.place >= ? AND d.place < ? ORDER BY d.place LIMIT ?;

-- count: how many documents a range has
SELECT count(*) FROM documents WHERE workspace = ? AND place >= ? AND place < ?;

-- find: the place of a step or node
SELECT place FROM names WHERE workspace = ? AND name = ?;

-- posting: the first place at or after one that has a term
SELECT place FROM terms WHERE workspace = ? AND term = ? AND place >= ? ORDER BY place LIMIT 1;

-- posting_range: the places that have a term
SELECT place FROM terms WHERE workspace = ? AND term = ? AND place >= ? AND place < ? ORDER BY place LIMIT ?;

-- walk: the postings after one, in order, up to a term
SELECT term, place FROM terms WHERE workspace = ? AND (term, place) > (?, ?) AND term < ?
ORDER BY term, place LIMIT ?;

-- next_term: the first term at or after one
SELECT term FROM terms WHERE workspace = ? AND term >= ? ORDER BY term LIMIT 1;

-- events: the log after a seq
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = ?1 AND seq > ?2 AND seq <= ?4 ORDER BY seq LIMIT ?3;

-- events_of_root: the log of one plan or task after a seq
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events INDEXED BY events_of_root
WHERE workspace = ?1 AND root = ?5 AND seq > ?2 AND seq <= ?4 ORDER BY seq LIMIT ?3;

-- recent: the log after a seq, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events WHERE workspace = ?1 AND seq > ?2 AND seq <= ?4 ORDER BY seq DESC LIMIT ?3;

-- recent_of_root: the log of one plan or task after a seq, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events INDEXED BY events_of_root
WHERE workspace = ?1 AND root = ?5 AND seq > ?2 AND seq <= ?4 ORDER BY seq DESC LIMIT ?3;

-- events_of_step: the log of one step after a seq
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events INDEXED BY events_of_step
WHERE workspace = ?1 AND step_id = ?5 AND seq > ?2 AND seq <= ?4 ORDER BY seq LIMIT ?3;

-- recent_of_step: the log of one step after a seq, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events INDEXED BY events_of_step
WHERE workspace = ?1 AND step_id = ?5 AND seq > ?2 AND seq <= ?4 ORDER BY seq DESC LIMIT ?3;

-- notes_of_root: the notes on a plan or task and on its steps, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events INDEXED BY notes_of_root
WHERE workspace = ?1 AND root = ?3 AND substr(body, 1, 20) = '{"type":"step_noted"' AND seq <= ?4
ORDER BY seq DESC LIMIT ?2;

-- notes_of_step: the notes on one step, or on the plan or task itself, newest first
SELECT seq, operation, at, actor, root, step_id, path, body
FROM events INDEXED BY notes_of_step
WHERE workspace = ?1 AND root = ?3 AND step_id IS ?5 AND substr(body, 1, 20) = '{"type":"step_noted"' AND seq <= ?4
ORDER BY seq DESC LIMIT ?2;

-- operations: the calls before one, newest first
SELECT operation, last_seq, tool, at, actor, kind, of, undone_by, hash
FROM operations WHERE workspace = ? AND operation < ? ORDER BY operation DESC LIMIT ?;

-- operations_of_root: the calls that touched one plan or task, newest first
SELECT o.operation, o.last_seq, o.tool, o.at, o.actor, o.kind, o.of, o.undone_by, o.hash
FROM touches AS t JOIN operations AS o ON o.workspace = t.workspace AND o.operation = t.operation
WHERE t.workspace = ?1 AND t.place = ?4 AND t.operation < ?2 ORDER BY t.operation DESC LIMIT ?3;

-- images: what an operation changed in a range of places
SELECT place, operation, before, after FROM images
WHERE workspace = ? AND operation = ? AND place >= ? AND place < ? ORDER BY place LIMIT ?;

-- images_of_place: what was changed at a place before an operation, newest first
SELECT place, operation, before, after FROM images INDEXED BY images_of_place
WHERE workspace = ? AND place = ? AND operation < ? ORDER BY operation DESC LIMIT ?;

-- images_after: the first change after an operation at each of some places, given as a JSON list
SELECT i.place, i.operation, i.before, i.after
FROM json_each(?2) AS asked
CROSS JOIN images AS i ON i.workspace = ?1 AND i.place = asked.value AND i.operation = (
  SELECT min(operation) FROM images INDEXED BY images_of_place
  WHERE workspace = ?1 AND place = asked.value AND operation > ?3
);

-- artifacts: the evidence for a place, newest first
SELECT place, seq, number, body FROM artifacts
WHERE workspace = ?1 AND place = ?2 AND seq <= ?4 ORDER BY seq DESC, number LIMIT ?3;

-- evidence_counts: how much evidence some places have, given as a JSON list, each counted up to a limit
SELECT asked.value, (SELECT count(*) FROM (
  SELECT 1 FROM artifacts WHERE workspace = ?1 AND place = asked.value AND seq <= ?4 LIMIT ?3
)) FROM json_each(?2) AS asked;

-- texts_before: the first image of each place in some plans and tasks after an operation, given as a JSON list
SELECT i.place, min(i.operation), i.before
FROM json_each(?2) AS asked
CROSS JOIN touches AS t ON t.workspace = ?1 AND t.place = asked.value AND t.operation > ?3
CROSS JOIN images AS i ON i.workspace = ?1 AND i.operation = t.operation
  AND i.place >= asked.value AND i.place < asked.value || '/'
GROUP BY i.place;

-- changed_places: the places of a range that changed after an operation
SELECT DISTINCT place FROM images INDEXED BY images_of_place
WHERE workspace = ? AND place >= ? AND place < ? AND operation > ? ORDER BY place;

-- changed_roots: the plans and tasks that the log after an operation is about
SELECT DISTINCT root FROM events
WHERE workspace = ?1 AND seq > ?2 AND operation > ?2 AND (root >= 'p' AND root < 'q' OR root >= 't' AND root < 'u')
ORDER BY root;

-- left_plan: the tasks that left a plan after an operation
SELECT DISTINCT place FROM images INDEXED BY images_of_leaving
WHERE workspace = ?1 AND operation > ?3
  AND CASE WHEN instr(place, '.') = 0 AND place >= 't' AND place < 'u' AND json_valid(before) AND
    (after IS NULL OR json_valid(after) AND json_extract(after, '$.plan') IS NOT json_extract(before, '$.plan'))
  THEN json_extract(before, '$.plan') END = ?2;

-- revisions: the revisions of some places after an operation, given as a JSON list
SELECT asked.value, (
  SELECT revision FROM touches WHERE workspace = ?1 AND place = asked.value AND operation <= ?3
  ORDER BY operation DESC LIMIT 1
) FROM json_each(?2) AS asked;

-- written: what a package in a project folder held when it was last written
SELECT body FROM written WHERE workspace = ? AND folder = ? AND taskdoc = ?;

-- put_written: what a package holds now
INSERT INTO written (workspace, folder, taskdoc, body) VALUES (?, ?, ?, ?)
ON CONFLICT (workspace, folder, taskdoc) DO UPDATE SET body = excluded.body;

-- drop_written: a package that was removed
DELETE FROM written WHERE workspace = ? AND folder = ? AND taskdoc = ?;

-- lease: when a holder of claims last made a call
SELECT seen_at FROM leases WHERE workspace = ? AND holder = ?;

-- put_lease: a holder of claims made a call
INSERT INTO leases (workspace, holder, seen_at) VALUES (?, ?, ?)
ON CONFLICT (workspace, holder) DO UPDATE SET seen_at = excluded.seen_at;

-- drop_leases: holders not seen for so long that nothing of theirs can live
DELETE FROM leases WHERE workspace = ? AND seen_at < ?;

-- request: an answered write by its id
SELECT id, at, digest, reply FROM requests WHERE workspace = ? AND id = ?;

-- put_request: a write was answered
INSERT INTO requests (workspace, id, at, digest, reply) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (workspace, id) DO UPDATE SET at = excluded.at, digest = excluded.digest, reply = excluded.reply;

-- old_requests: some of the writes answered before a time, the oldest first
SELECT id FROM requests WHERE workspace = ? AND at < ? ORDER BY at LIMIT ?;

-- drop_request: an answered write that is forgotten
DELETE FROM requests WHERE workspace = ? AND id = ?;

-- artifacts_from: what is kept for a place from a seq and number on, oldest first
SELECT place, seq, number, body FROM artifacts
WHERE workspace = ?1 AND place = ?2 AND seq >= ?3 AND seq <= ?6 AND (seq > ?3 OR number >= ?4)
ORDER BY seq, number LIMIT ?5;

-- put_head: a workspace's counters
UPDATE workspaces SET seq = ?, plans = ?, tasks = ?, nodes = ?, hash = ? WHERE id = ?;

-- put_document: a document as it is now
INSERT INTO documents (workspace, place, text) VALUES (?, ?, ?)
ON CONFLICT (workspace, place) DO UPDATE SET text = excluded.text;

-- drop_document: a document that is no more
DELETE FROM documents WHERE workspace = ? AND place = ?;

-- drop_tally: a place that counts nothing
DELETE FROM tallies WHERE workspace = ? AND place = ?;

-- put_tally: what is counted at a place
INSERT INTO tallies (workspace, place, revision, next_step, next_node, total, done, blocked, ready, waiting,
                     unproven, tasks, tasks_done, tasks_begun, claimed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (workspace, place) DO UPDATE SET
  revision = excluded.revision, next_step = excluded.next_step, next_node = excluded.next_node,
  total = excluded.total, done = excluded.done, blocked = excluded.blocked, ready = excluded.ready,
  waiting = excluded.waiting, unproven = excluded.unproven, tasks = excluded.tasks,
  tasks_done = excluded.tasks_done, tasks_begun = excluded.tasks_begun, claimed = excluded.claimed;

-- drop_term: a document is no longer found by a term
DELETE FROM terms WHERE workspace = ? AND term = ? AND place = ?;

-- put_term: a document is found by a term
INSERT INTO terms (workspace, term, place) VALUES (?, ?, ?);

-- put_name: the place of a step or node that is new, or was moved
INSERT INTO names (workspace, name, place) VALUES (?, ?, ?)
ON CONFLICT (workspace, name) DO UPDATE SET place = excluded.place;

-- put_event: one line of the log
INSERT INTO events (workspace, seq, operation, at, actor, root, step_id, path, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- put_operation: one call
INSERT INTO operations (workspace, operation, last_seq, tool, at, actor, kind, of, undone_by, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- put_undone: that an operation is undone, or in effect again
UPDATE operations SET undone_by = ?2 WHERE workspace = ?1 AND operation = ?3;

-- put_artifact: one piece of evidence
INSERT INTO artifacts (workspace, place, seq, number, body) VALUES (?, ?, ?, ?, ?);

-- put_image: a document before and after
INSERT INTO images (workspace, place, operation, before, after) VALUES (?, ?, ?, ?, ?);

-- put_touch: the revision an operation gave
INSERT INTO touches (workspace, place, operation, revision) VALUES (?, ?, ?, ?);

-- all_documents: every document, in order
SELECT place, text FROM documents WHERE workspace = ? ORDER BY place;

-- all_images: every image, an operation's together
SELECT place, operation, before, after FROM images WHERE workspace = ? ORDER BY operation, place;

-- all_tallies: every tally, in order
SELECT place, revision, next_step, next_node, total, done, blocked, ready, waiting,
       unproven, tasks, tasks_done, tasks_begun, claimed
FROM tallies WHERE workspace = ? ORDER BY place;

-- all_terms: every posting, in order
SELECT term, place FROM terms WHERE workspace = ? ORDER BY term, place;

-- all_names: every id, in order
SELECT name, place FROM names WHERE workspace = ? ORDER BY name;

-- all_events: the whole log
SELECT seq, operation, at, actor, root, step_id, path, body FROM events WHERE workspace = ? ORDER BY seq;

-- all_operations: every call
SELECT operation, last_seq, tool, at, actor, kind, of, undone_by, hash
FROM operations WHERE workspace = ? ORDER BY operation;

-- all_artifacts: every piece of evidence, in the order of the log
SELECT place, seq, number, body FROM artifacts WHERE workspace = ? ORDER BY seq, place, number;

-- all_touches: every revision, an operation's together
SELECT place, operation, revision FROM touches WHERE workspace = ? ORDER BY operation, place;

-- put_masked_text: a text that held the word "[masked]" when masking ended
INSERT INTO masked_texts (workspace, source, place, seq) VALUES (?, ?, ?, ?);

-- all_masked_texts: what held the word "[masked]" when masking ended
SELECT source, place, seq FROM masked_texts WHERE workspace = ? ORDER BY source, place, seq;

-- all_workspaces: every workspace, for a migration
SELECT id, name FROM workspaces ORDER BY id;

-- seal_operation: an operation's link in the chain, for a migration
UPDATE operations SET hash = ?3 WHERE workspace = ?1 AND operation = ?2;

-- seal_workspace: the end of a workspace's chain, for a migration
UPDATE workspaces SET hash = ?2 WHERE id = ?1;

-- own_searched: a place's own row: its number, whether its words wait, their mark, and whether it is found
SELECT number, text IS NOT NULL, mark, live FROM searched WHERE workspace = ? AND place = ? AND seq = 0;

-- put_searched: a row that waits to go into the index
INSERT INTO searched (workspace, place, seq, live, mark, title, text) VALUES (?, ?, ?, ?, ?, ?, ?);

-- show_searched: what is at a place is found again
UPDATE searched SET live = 1 WHERE workspace = ? AND place = ? AND seq >= 0 AND live = 0;

-- hide_searched: what is at a place is found no more
UPDATE searched SET live = 0 WHERE workspace = ? AND place = ? AND seq >= 0;

-- move_searched: what was said at a place is found at another one
UPDATE searched SET place = ?3, live = 1 WHERE workspace = ?1 AND place = ?2 AND seq > 0;

-- orphan_searched: a row in the index that another one replaces
UPDATE searched SET live = 0, seq = -number, text = '' WHERE number = ?;

-- drop_searched: a row that is not in the index
DELETE FROM searched WHERE number = ?;

-- count_waiting: how many rows wait
SELECT count(*) FROM searched WHERE text IS NOT NULL;

-- searched_waiting: the rows that wait to go into the index, or to leave it
SELECT number, workspace, seq, title, text FROM searched WHERE text IS NOT NULL ORDER BY number;

-- put_in_index: the tokens of a row
INSERT INTO search_index (rowid, tokens) VALUES (?, ?);

-- drop_from_index: the tokens of a row that another one replaced
DELETE FROM search_index WHERE rowid = ?;

-- settle_searched: nothing waits
UPDATE searched SET text = NULL WHERE text IS NOT NULL;

-- search_waiting: the rows that wait, newest first
SELECT number, place, seq, title, text FROM searched
WHERE workspace = ? AND text IS NOT NULL AND number <= ? AND live ORDER BY number DESC;

-- search_index: the rows that have all tokens, newest first, those that are not found too
SELECT searched.number, searched.place, searched.seq, searched.title, searched.live
FROM search_index CROSS JOIN searched ON searched.number = search_index.rowid
WHERE search_index MATCH ? AND search_index.rowid <= ?
ORDER BY search_index.rowid DESC LIMIT ?;

-- rows_of_token: the newest rows that have a token
SELECT rowid FROM search_index WHERE search_index MATCH ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?;

-- all_searched: everything that can be found, and what was said of things that are gone, in order
SELECT number, place, seq, live, title, text FROM searched
WHERE workspace = ? AND (seq > 0 OR (seq = 0 AND live)) ORDER BY place, seq;

-- index_tokens: the tokens of a workspace, and the rows that have them
SELECT term, doc FROM search_tokens WHERE term >= ? AND term < ?;

-- drop_workspace_from_index: the tokens of a workspace
DELETE FROM search_index
WHERE rowid IN (SELECT number FROM searched WHERE workspace = ? AND (text IS NULL OR seq < 0));

-- drop_strays_from_index: tokens without a row
DELETE FROM search_index WHERE rowid IN (SELECT id FROM search_index_docsize EXCEPT SELECT number FROM searched);

-- empty_index: the tokens of all workspaces
INSERT INTO search_index (search_index) VALUES ('delete-all');

-- drop_workspace_from_searched: the rows of a workspace
DELETE FROM searched WHERE workspace = ?;

-- head_by_scan: a workspace's row number and counters, without its index, which may be damaged
SELECT id, seq, plans, tasks, nodes, hash FROM workspaces NOT INDEXED WHERE name = ?;

-- integrity: what SQLite itself finds wrong
PRAGMA integrity_check(1000000);

-- schema: what the file holds
SELECT type, name, sql FROM sqlite_schema ORDER BY type, name;

-- orphans: rows of workspaces that do not exist
SELECT 'documents', workspace, count(*) FROM documents
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'tallies', workspace, count(*) FROM tallies
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'terms', workspace, count(*) FROM terms
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'names', workspace, count(*) FROM names
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'events', workspace, count(*) FROM events
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'operations', workspace, count(*) FROM operations
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'images', workspace, count(*) FROM images
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'artifacts', workspace, count(*) FROM artifacts
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'touches', workspace, count(*) FROM touches
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'masked_texts', workspace, count(*) FROM masked_texts
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace
UNION ALL SELECT 'searched', workspace, count(*) FROM searched
WHERE workspace NOT IN (SELECT id FROM workspaces) GROUP BY workspace;

-- first_touches: every revision by key, where sorting is not possible
SELECT place, operation, revision FROM touches WHERE workspace = ? ORDER BY place, operation;

-- first_artifacts: every piece of evidence by key, where sorting is not possible
SELECT place, seq, number, body FROM artifacts WHERE workspace = ? ORDER BY place, seq DESC, number;

-- last_documents: every document, the last first, to get past a damaged page
SELECT place, text FROM documents WHERE workspace = ? ORDER BY place DESC;

-- last_images: every image, the last first
SELECT place, operation, before, after FROM images WHERE workspace = ? ORDER BY operation DESC, place DESC;

-- last_names: every id, the last first
SELECT name, place FROM names WHERE workspace = ? ORDER BY name DESC;

-- last_events: the whole log, the last first
SELECT seq, operation, at, actor, root, step_id, path, body FROM events WHERE workspace = ? ORDER BY seq DESC;

-- last_operations: every call, the last first
SELECT operation, last_seq, tool, at, actor, kind, of, undone_by, hash
FROM operations WHERE workspace = ? ORDER BY operation DESC;

-- last_artifacts: every piece of evidence by key, the last first
SELECT place, seq, number, body FROM artifacts WHERE workspace = ? ORDER BY place DESC, seq, number DESC;

-- last_touches: every revision by key, the last first
SELECT place, operation, revision FROM touches WHERE workspace = ? ORDER BY place DESC, operation DESC;
