-- open_claims: what is claimed in any workspace and has a step left that can be worked on
SELECT w.name, d.place, d.text
FROM workspaces AS w
JOIN terms AS c ON c.workspace = w.id AND c.term = 'claimed'
JOIN documents AS d ON d.workspace = c.workspace AND d.place = c.place
WHERE EXISTS (SELECT 1 FROM terms AS n WHERE n.workspace = c.workspace AND n.term = 'now'
              AND (n.place = c.place OR (n.place > c.place || '.' AND n.place < c.place || '/')))
ORDER BY w.name, d.place
LIMIT 200;
