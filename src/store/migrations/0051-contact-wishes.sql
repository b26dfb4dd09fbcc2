-- How a citizen wishes to be reached, as the citizen stated it, and addresses that somebody has verified: both sealed
-- under the citizen's key, and apart, so that stating the one never overwrites the other.
create table contact_wish (
  citizen_id text not null primary key,
  wishes bytea,
  verified bytea,
  changed_at bigint not null check (changed_at between 0 and 9007199254740991)
);
