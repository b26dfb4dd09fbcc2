-- The farthest that the clock was seen where it was not known to be wrong, and the last leap ahead of it: if it comes back to between
-- the two ends, it was wrong from the first on.
alter table clock_seen add column front_at bigint check (front_at between 0 and 9007199254740991);
alter table clock_seen add column leapt_from bigint check (leapt_from between 0 and 9007199254740991);
alter table clock_seen add column leapt_to bigint check (leapt_to between 0 and 9007199254740991);
alter table clock_seen add column back_at bigint check (back_at between 0 and 9007199254740991);
-- From when on the wait of a step counts, where that is not when its notification was accepted.
alter table delivery add column waits_since bigint check (waits_since between 0 and 9007199254740991);
