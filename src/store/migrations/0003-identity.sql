-- The embedded register: one row a citizen, the values as they were imported. family_key finds a person who is asked
-- about without an id: it is computed by the program (identity/name-key.ts), for the engines fold text differently.
create table citizen (
  citizen_id text not null primary key,
  given_name text,
  family_name text,
  birth_family_name text,
  birth_date text,
  birth_place text,
  street_address text,
  postal_code text,
  locality text,
  country text,
  document_number text,
  email text,
  phone text,
  language text,
  under_review boolean not null default false check (under_review in (true, false)),
  -- What claims must not match, whatever they are: forbidden by the citizen; the person has died.
  locked boolean not null default false check (locked in (true, false)),
  deceased boolean not null default false check (deceased in (true, false)),
  -- JSON lists of former values with their dates, as RegisterRecord has them.
  former_names text,
  former_addresses text,
  family_key text not null,
  imported_by text not null
);

create index citizen_by_name_and_birth on citizen (family_key, birth_date);

-- What each question was answered, for the client that asked. The answer is sealed under the key of the citizen it is
-- about; claims_tag is an HMAC that tells repeated claims from new ones. No value of a claim stands here.
create table verification (
  id text not null primary key,
  client_id text not null,
  citizen_id text,
  checked_at bigint not null check (checked_at between 0 and 9007199254740991),
  claims_tag bytea not null,
  answer bytea not null
);

-- How far the import of a file has come; committed with the rows it counts, so that a stopped import goes on from here.
create table register_import (
  id text not null primary key,
  fingerprint text not null unique,
  next_offset bigint not null check (next_offset between 0 and 9007199254740991),
  rows_read bigint not null check (rows_read between 0 and 9007199254740991),
  rows_stored bigint not null check (rows_stored between 0 and 9007199254740991),
  rows_refused bigint not null check (rows_refused between 0 and 9007199254740991),
  rows_left_out bigint not null check (rows_left_out between 0 and 9007199254740991),
  faults text not null,
  errors_bytes bigint not null check (errors_bytes between 0 and 9007199254740991),
  finished boolean not null check (finished in (true, false)),
  started_at bigint not null check (started_at between 0 and 9007199254740991),
  updated_at bigint not null check (updated_at between 0 and 9007199254740991)
);
