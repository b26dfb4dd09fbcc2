-- Whether the question was a search. Reading its answer again leaves the same entries in the ledger then, whether somebody was
-- found or not. Unknown of answers from before: they count as searches.
alter table verification add column searched boolean check (searched in (true, false));
