-- When the citizen was told of the guesses that spent this budget, and when somebody last set about it. told_at is written in
-- the unit that carries the message, so a message that was never stored is not taken for one that was.
alter table guess_budget add column told_at bigint check (told_at between 0 and 9007199254740991);
alter table guess_budget add column telling_at bigint check (telling_at between 0 and 9007199254740991);
