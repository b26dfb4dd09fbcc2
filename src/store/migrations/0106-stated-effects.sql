-- The legal effect of a notification as evidence stated it for the first time, as JSON: what was given out is not counted
-- anew by a calendar that was changed since. A row is written once, in the unit of the reading, and never changed.
create table stated_effect (
  notification_id text not null primary key references notification (id),
  effect text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);
