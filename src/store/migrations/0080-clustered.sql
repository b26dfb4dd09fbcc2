-- What tells repeated claims apart is the guess budget; nothing reads this.
alter table verification drop column claims_tag;

-- SQLite keeps a table in the order of a row number of its own, and a text key in a second tree beside it. These tables are
-- asked for by their key alone, and their rows are small: in the tree of the key itself, each look is half as many pages.
-- PostgreSQL has no such tables.
/* sqlite */ create table clustered (citizen_id text not null primary key, wrapped bytea not null, root_key_id text not null)
  without rowid;
/* sqlite */ insert into clustered (citizen_id, wrapped, root_key_id) select citizen_id, wrapped, root_key_id from citizen_key;
/* sqlite */ drop table citizen_key;
/* sqlite */ alter table clustered rename to citizen_key;

/* sqlite */ create table clustered (
  subject text not null primary key,
  guesses text not null,
  version bigint not null check (version between 0 and 9007199254740991),
  updated_at bigint not null check (updated_at between 0 and 9007199254740991)
) without rowid;
/* sqlite */ insert into clustered (subject, guesses, version, updated_at)
  select subject, guesses, version, updated_at from guess_budget;
/* sqlite */ drop table guess_budget;
/* sqlite */ alter table clustered rename to guess_budget;
/* sqlite */ create index guess_budget_by_age on guess_budget (updated_at);

/* sqlite */ create table clustered (
  chain bytea not null primary key,
  citizen_id text,
  number bigint not null check (number between 1 and 9007199254740991),
  leaf_hash bytea not null
) without rowid;
/* sqlite */ insert into clustered (chain, citizen_id, number, leaf_hash) select chain, citizen_id, number, leaf_hash from ledger_chain;
/* sqlite */ drop table ledger_chain;
/* sqlite */ alter table clustered rename to ledger_chain;

/* sqlite */ create table clustered (
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
  locked boolean not null default false check (locked in (true, false)),
  deceased boolean not null default false check (deceased in (true, false)),
  former_names text,
  former_addresses text,
  family_key text not null,
  imported_by text not null
) without rowid;
/* sqlite */ insert into clustered (citizen_id, given_name, family_name, birth_family_name, birth_date, birth_place, street_address,
    postal_code, locality, country, document_number, email, phone, language, under_review, locked, deceased, former_names,
    former_addresses, family_key, imported_by)
  select citizen_id, given_name, family_name, birth_family_name, birth_date, birth_place, street_address,
    postal_code, locality, country, document_number, email, phone, language, under_review, locked, deceased, former_names,
    former_addresses, family_key, imported_by from citizen;
/* sqlite */ drop table citizen;
/* sqlite */ alter table clustered rename to citizen;
/* sqlite */ create index citizen_by_name_and_birth on citizen (family_key, birth_date);
/* sqlite */ create index citizen_by_birth_date on citizen (birth_date, citizen_id);
