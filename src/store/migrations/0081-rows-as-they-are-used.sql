-- A row of ledger_event is there for a moment and is found by its id alone: in the tree of that id it is written and taken
-- away once each, not twice.
/* sqlite */ create table clustered (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  citizen_id text,
  citizen_tag bytea,
  content bytea not null
) without rowid;
/* sqlite */ insert into clustered (id, at, type, client_id, citizen_id, citizen_tag, content)
  select id, at, type, client_id, citizen_id, citizen_tag, content from ledger_event;
/* sqlite */ drop table ledger_event;
/* sqlite */ alter table clustered rename to ledger_event;

-- What is sealed cannot be compressed, and PostgreSQL tries so with every row above 2 kB, and then cuts it into pieces in a
-- table beside. These are read as a whole, so they stay whole, up to a page.
/* postgres */ alter table verification set (toast_tuple_target = 8160);
/* postgres */ alter table notification set (toast_tuple_target = 8160);
