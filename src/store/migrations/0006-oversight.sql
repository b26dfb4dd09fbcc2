-- The endpoints that this installation has published, each with the ledger event that says so.
create table endpoint (
  name text not null,
  schema_hash text not null,
  since text not null,
  method text not null,
  path text not null,
  event_id text not null,
  registered_at bigint not null check (registered_at between 0 and 9007199254740991),
  primary key (name, schema_hash)
);
