-- What became of notifications, for their senders: written in the unit of the change, under the id of its ledger event.
-- number is given afterwards, one by one for each client: what was committed late gets a later number, never a gap.
create table feed_event (
  id text not null primary key,
  client_id text not null,
  number bigint check (number between 0 and 9007199254740991),
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  data text not null
);

create index feed_event_new on feed_event (id) where number is null;
create unique index feed_event_number on feed_event (client_id, number) where number is not null;

-- The last number given to each client; whoever numbers has to know it.
create table feed_head (
  client_id text not null primary key,
  last bigint not null check (last between 0 and 9007199254740991)
);

-- Where a client wants to be told. The secrets are sealed; the old one signs along until old_until.
create table webhook (
  id text not null primary key,
  client_id text not null,
  url text not null,
  status text not null,
  secret bytea not null,
  old_secret bytea,
  old_until bigint check (old_until between 0 and 9007199254740991),
  created_at bigint not null check (created_at between 0 and 9007199254740991)
);

create index webhook_of_client on webhook (client_id, id);

-- One event on its way to one webhook, and the queue itself: a claim moves run_at on, so a lost worker costs a minute.
-- dead: given up, and kept to be sent again when its client asks.
create table webhook_call (
  webhook_id text not null references webhook (id),
  event_id text not null references feed_event (id),
  status text not null,
  attempts bigint not null check (attempts between 0 and 9007199254740991),
  run_at bigint not null check (run_at between 0 and 9007199254740991),
  answer bigint check (answer between 0 and 9007199254740991),
  primary key (webhook_id, event_id)
);

create index webhook_call_due on webhook_call (run_at) where status = 'queued';
