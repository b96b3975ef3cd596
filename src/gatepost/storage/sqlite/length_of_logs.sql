-- length_of_logs: how many events there are, or 0 if no workspace has anything that a session should hear of
SELECT coalesce(sum(w.seq), 0)
FROM workspaces AS w
WHERE EXISTS (SELECT 1 FROM workspaces AS o JOIN terms AS t ON t.workspace = o.id
              WHERE t.term IN ('now', 'blocked', 'answered', 'claimed', 'unapproved', 'unsigned', 'taskdoc'));
