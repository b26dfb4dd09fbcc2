-- The legal effect of a notification as evidence stated it for the first time, as JSON: what was given out is not counted
-- anew by a calendar that was changed since. A row is written once, in the unit of the reading, and never changed.
create table stated_effect (
  notification_id text not null primary key references notification (id),
  effect text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);

-- What the log had published when witnesses were asked for the first time: until they have cosigned a larger tree it stays
-- published, so that the log never shows a smaller one than before. Empty where there are no witnesses.
create table ledger_unwitnessed (
  log text not null primary key,
  size bigint not null check (size between 0 and 9007199254740991),
  root bytea not null,
  note text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);

-- A key that was withdrawn at once, since others may have it: the published keys show it no more, those of evidence neither.
alter table signing_key add column withdrawn boolean not null default false check (withdrawn in (true, false));

update signing_key set withdrawn = true where exists (
  select 1 from signing_key n where n.use = signing_key.use and n.kid <> signing_key.kid
    and n.created_at between signing_key.retire_at and signing_key.retire_at + 1000);

-- Whose documents were erased by an event: to their issuers it is the proof.
create index document_of_erasure on document (erasure_event) where erasure_event is not null;

-- A disabled client is called no more.
update webhook set status = 'removed' where client_id in (select client_id from client where disabled_at is not null);

-- Where the secret of a webhook was replaced several times within a day: the secrets before the one in webhook.old_secret.
-- Each signs along until the instant that was promised for it.
create table webhook_old_secret (
  webhook_id text not null references webhook (id),
  until bigint not null check (until between 0 and 9007199254740991),
  secret bytea not null,
  primary key (webhook_id, until)
);
