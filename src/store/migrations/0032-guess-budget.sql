-- The wrong guesses about one citizen, over all clients and processes. subject is an HMAC, so that an id that nobody has
-- counts as well; guesses is a JSON list of the distinct wrong value sets (an HMAC each) of the last thirty days, with their
-- instants. version makes two processes that count at once see each other.
create table guess_budget (
  subject text not null primary key,
  guesses text not null,
  version bigint not null check (version between 0 and 9007199254740991),
  updated_at bigint not null check (updated_at between 0 and 9007199254740991)
);

create index guess_budget_by_age on guess_budget (updated_at);
