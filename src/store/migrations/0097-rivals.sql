-- Who else might be meant is looked for by both names whatever the birth date, and by street and postal code. The keys are
-- computed by the program (identity/name-key.ts); records of earlier imports have none until their file is imported again.
alter table citizen add column given_key text;
alter table citizen add column street_key bigint check (street_key between 0 and 9007199254740991);
create index citizen_by_street on citizen (street_key);

-- A further tree would slow every import to SQLite, and the registers there are small enough to look through a family in the
-- tree that there is.
/* sqlite */ drop index citizen_by_name_and_birth;
/* sqlite */ create index citizen_by_name_and_birth on citizen (family_key, birth_date, given_key);
/* postgres */ create index citizen_by_names on citizen (family_key, given_key);

-- A name that is spelled in several ways has its other keys here, of the kind 'today'.
create table other_name (
  citizen_id text not null,
  kind text not null check (kind in ('birth', 'former', 'today')),
  family_key text not null,
  birth_date text not null,
  primary key (citizen_id, kind, family_key)
);
insert into other_name (citizen_id, kind, family_key, birth_date) select citizen_id, kind, family_key, birth_date from former_name;
drop table former_name;
alter table other_name rename to former_name;
create index former_name_by_name_and_birth on former_name (family_key, birth_date);
