-- By which other family names a person is found who is asked about without an id: former ones, and that at birth. The birth
-- date stands here too, so that one index finds both; every import that has dates or such names sets it anew.
create table former_name (
  citizen_id text not null,
  kind text not null check (kind in ('birth', 'former')),
  family_key text not null,
  birth_date text not null,
  primary key (citizen_id, kind, family_key)
);

create index former_name_by_name_and_birth on former_name (family_key, birth_date);
