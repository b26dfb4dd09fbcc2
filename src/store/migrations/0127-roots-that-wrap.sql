-- What root keys have wrapped. A retired one wraps nothing any more: a unit that stores what it has wrapped is refused, so that none
-- comes behind the rotation that takes it out of its file.
create table root_key (
  root_key_id text not null primary key,
  retired boolean not null check (retired in (true, false))
);

-- Whoever is erased and comes back has a key that another root has wrapped, and that is told by its id.
alter table citizen_key_rewrap drop column replaced;
