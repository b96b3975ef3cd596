"""The report of a plan or task as one document: what was done, on which proof, and what is open."""
