-- What the rows of a notification do not say any more: that it was undeliverable until a proof came, that a delivery had
-- failed until then without an attempt that says so, and that a delivery was proved by the citizen (`confirmed`) and not
-- by its provider. Rows are only added, in the unit of the change; subject_id is the notification or one of its deliveries.
create table notification_history (
  notification_id text not null references notification (id),
  subject_id text not null,
  status text not null,
  at bigint not null check (at between 0 and 9007199254740991),
  reason text,
  primary key (notification_id, subject_id, status)
);

insert into notification_history (notification_id, subject_id, status, at)
  select n.id, d.id, 'confirmed', d.ended_at from delivery d join notification n on n.id = d.notification_id
  where d.channel <> 'inbox' and d.status = 'delivered' and n.status = 'read' and n.status_at = d.ended_at;

-- Whose key was destroyed, by pseudonym: content that does not open is erased where this says so, and else was changed.
-- event_id is the citizen.erased in the ledger; unknown for erasures from before, which emptied the name beside the entries.
-- The chains of the house come along from there, and are nobody's.
create table citizen_erasure (
  chain bytea not null primary key,
  event_id text,
  at bigint not null check (at between 0 and 9007199254740991)
);

insert into citizen_erasure (chain, at)
  select e.chain, (select max(l.at) from ledger_entry l) from ledger_entry e where e.citizen_id is null group by e.chain;
