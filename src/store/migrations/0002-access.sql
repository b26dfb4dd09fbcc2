-- The keys that sign tokens, results, checkpoints and evidence; the private part wrapped by the root key. A key is never
-- deleted: what it signed is verified by its public part for as long as there is something to verify.
create table signing_key (
  kid text not null primary key,
  use text not null check (use in ('access-token', 'result', 'checkpoint', 'evidence')),
  alg text not null check (alg in ('ES256', 'Ed25519')),
  public_jwk text not null,
  sealed_private bytea not null,
  root_key_id text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  retire_at bigint check (retire_at between 0 and 9007199254740991)
);

-- Who may call. A client proves itself by exactly one of: a secret (its hash), its own keys, a certificate, or another
-- issuer. `binding` says to what its tokens have to be bound.
create table client (
  client_id text not null primary key,
  name text not null,
  kind text not null check (kind in ('demo', 'test', 'team', 'live')),
  scopes text not null,
  secret_hash bytea,
  jwks text,
  certificate text,
  issuer text,
  binding text not null check (binding in ('none', 'dpop', 'mtls')),
  purposes text,
  quota_per_second bigint not null check (quota_per_second between 1 and 1000000),
  quota_burst bigint not null check (quota_burst between 1 and 10000000),
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  disabled_at bigint check (disabled_at between 0 and 9007199254740991),
  check (
    (secret_hash is not null and jwks is null and certificate is null and issuer is null)
    or (secret_hash is null and jwks is not null and certificate is null and issuer is null)
    or (secret_hash is null and jwks is null and certificate is not null and issuer is null)
    or (secret_hash is null and jwks is null and certificate is null and issuer is not null)
  )
);

-- What the authorization server must remember for a while, as the ids of assertions and proofs that were used.
create table oauth_record (
  model text not null,
  id text not null,
  payload text not null,
  expires_at bigint not null check (expires_at between 0 and 9007199254740991),
  primary key (model, id)
);

create index oauth_record_expiry on oauth_record (expires_at);
