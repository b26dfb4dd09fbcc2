-- Where keys that a rotation of the root has wrapped anew stand within a unit, until one statement puts them all into
-- citizen_key: empty outside of a unit.
create table citizen_key_rewrap (
  citizen_id text not null primary key,
  wrapped bytea not null
);
