-- From when on a document is to be erased: withdrawn or at the end of its class, and its retention over. The deletion run finds
-- what is due by it, and does not look through all documents.
/* sqlite */ alter table document add column erasure_due_at bigint generated always as (case
  when status = 'withdrawn' then coalesce(retain_until, 0)
  when status = 'erased' then null
  when retain_until > erase_at then retain_until
  else erase_at end) virtual;
/* postgres */ alter table document add column erasure_due_at bigint generated always as (case
  when status = 'withdrawn' then coalesce(retain_until, 0)
  when status = 'erased' then null
  when retain_until > erase_at then retain_until
  else erase_at end) stored;
drop index document_to_erase;
drop index document_withdrawn;
create index document_to_erase on document (erasure_due_at, id) where erasure_due_at is not null;
