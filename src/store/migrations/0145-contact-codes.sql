-- A code that was sent to an address which a citizen wants to verify: address and code sealed under the citizen's key, one for each
-- channel. `notification_id` is the message that brought it, and tells it from the one before.
create table contact_code (
  citizen_id text not null,
  channel text not null,
  notification_id text not null,
  sealed bytea not null,
  ends_at bigint not null check (ends_at between 0 and 9007199254740991),
  tries bigint not null check (tries between 0 and 9007199254740991),
  primary key (citizen_id, channel)
);
create unique index contact_code_by_notification on contact_code (notification_id);
create index contact_code_by_end on contact_code (ends_at);

-- How many codes were asked for on a day (UTC, counted from 1970) by a citizen, and for an address. Neither stands here: `subject` is
-- a keyed hash of the day with one of them.
create table contact_code_count (
  subject bytea not null primary key,
  day bigint not null check (day between 0 and 9007199254740991),
  asked bigint not null check (asked between 0 and 9007199254740991)
);
create index contact_code_count_by_day on contact_code_count (day);
