-- The budget of a client under a scope, shared by all processes, in thousandths of a request. `units` is what was left at
-- the instant `at`; `granted` what the last process that asked was given, in requests.
create table quota_bucket (
  client_id text not null,
  scope text not null,
  units bigint not null check (units between 0 and 9007199254740991),
  at bigint not null check (at between 0 and 9007199254740991),
  granted bigint not null check (granted between 0 and 9007199254740991),
  primary key (client_id, scope)
);
