-- The entries of a person who was erased lose the name a page at a time: up to that number of the chain they may still have it.
-- Empty when that is done.
alter table citizen_erasure add column named_up_to bigint check (named_up_to between 0 and 9007199254740991);
create index citizen_erasure_unfinished on citizen_erasure (named_up_to) where named_up_to is not null;
