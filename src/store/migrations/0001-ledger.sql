-- The key of each citizen, wrapped by the root key. Small and rewritten as a whole when the root rotates.
create table citizen_key (
  citizen_id text not null primary key,
  wrapped bytea not null,
  root_key_id text not null
);

-- Every use of a citizen's data, written in the unit of its effect. A row stays here until the sequencer has numbered it,
-- and then goes into ledger_entry (0011); citizen_id is only here, so that the sequencer finds the key.
create table ledger_event (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  citizen_id text,
  citizen_tag bytea,
  content bytea not null
);

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
