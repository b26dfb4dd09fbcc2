-- How long documents of a kind are kept: not erased before keep_days, erased by the deletion run after erase_after_days
-- (null: never by itself), both counted from the day of issue. A change holds for deposits from then on.
create table retention_class (
  name text not null primary key,
  keep_days bigint not null check (keep_days between 0 and 73000),
  erase_after_days bigint check (erase_after_days between 0 and 73000),
  legal_basis text not null,
  changed_at bigint not null check (changed_at between 0 and 9007199254740991),
  check (erase_after_days is null or erase_after_days >= keep_days)
);

-- holds counts the legal holds on this document, those of its citizen included: above 0 it is never erased.
alter table document add column retention_class text;
alter table document add column erase_at bigint check (erase_at between 0 and 9007199254740991);
alter table document add column holds bigint not null default 0 check (holds between 0 and 9007199254740991);
create index document_to_erase on document (erase_at, id) where erase_at is not null and status <> 'erased';
create index document_withdrawn on document (withdrawn_at, id) where status = 'withdrawn';

-- A legal hold on one document, or (document_id null) on everything of a citizen. Why stands in its ledger event, sealed.
create table document_hold (
  id text not null primary key,
  citizen_id text not null,
  document_id text references document (id),
  placed_at bigint not null check (placed_at between 0 and 9007199254740991),
  released_at bigint check (released_at between 0 and 9007199254740991)
);
create index document_hold_of_citizen on document_hold (citizen_id, id);

-- How many holds there are about a citizen, of both kinds, and how many of them are on everything. Placing a hold and
-- erasing the citizen both write this row, so that one of them sees the other.
create table citizen_hold (
  citizen_id text not null primary key,
  holds bigint not null check (holds between 0 and 9007199254740991),
  whole bigint not null check (whole between 0 and 9007199254740991)
);
