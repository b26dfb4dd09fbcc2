-- The key of each citizen, wrapped by the root key. Small and rewritten as a whole when the root rotates.
create table citizen_key (
  citizen_id text not null primary key,
  wrapped bytea not null,
  root_key_id text not null
);

-- Every use of a citizen's data, written in the unit of its effect. The sequencer gives leaf_index afterwards.
create table ledger_event (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  citizen_tag bytea,
  content bytea not null,
  leaf_index bigint check (leaf_index between 0 and 9007199254740991)
);

create index ledger_event_unnumbered on ledger_event (id) where leaf_index is null;

-- The answer that a request with an Idempotency-Key got, kept as long as what it made.
create table idempotency (
  client_id text not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  status bigint not null check (status between 100 and 599),
  headers text not null,
  body text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  primary key (client_id, operation, key)
);
