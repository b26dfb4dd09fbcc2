-- Who does a thing that only one may do, and which worker instances live. fence grows with each change of holder.
create table lease (
  name text not null primary key,
  holder text not null,
  fence bigint not null check (fence between 0 and 9007199254740991),
  held_until bigint not null check (held_until between 0 and 9007199254740991)
);

-- One logical message to one citizen. content is subject and message, sealed under the citizen's key; status is the fold
-- of the deliveries as of the last outcome.
create table notification (
  id text not null primary key,
  client_id text not null,
  citizen_id text not null,
  reference text,
  category text not null,
  language text,
  status text not null,
  status_at bigint not null check (status_at between 0 and 9007199254740991),
  revision bigint not null check (revision between 0 and 9007199254740991),
  content bytea not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  send_at bigint check (send_at between 0 and 9007199254740991),
  deliver_by bigint not null check (deliver_by between 0 and 9007199254740991),
  accepted_event text not null
);

create index notification_of_client on notification (client_id, created_at, id);
create index notification_of_client_by_status on notification (client_id, status, created_at, id);
create index notification_by_reference on notification (client_id, reference, created_at, id) where reference is not null;
create index notification_of_citizen on notification (citizen_id, created_at, id);
create index notification_open on notification (deliver_by) where status in ('accepted', 'scheduled', 'sending');

-- One channel's job, and the queue itself. attempts is the fence: it grows with each claim, and only who knows its
-- present value can end the job. started_at is the mark of the attempt, written before the provider is called: a row
-- that a lost worker left without it goes back into the queue, one with it becomes unknown. The lease of locked_by says
-- whether that worker lives. priority 0 goes before 1.
create table delivery (
  id text not null primary key,
  notification_id text not null references notification (id),
  channel text not null,
  status text not null,
  priority bigint not null check (priority between 0 and 9007199254740991),
  run_at bigint not null check (run_at between 0 and 9007199254740991),
  attempts bigint not null check (attempts between 0 and 9007199254740991),
  locked_by text,
  started_at bigint check (started_at between 0 and 9007199254740991),
  ended_at bigint check (ended_at between 0 and 9007199254740991),
  reason text,
  provider_ref text
);

create index delivery_of_notification on delivery (notification_id, id);
create index delivery_due on delivery (channel, priority, run_at, id) where status = 'queued';
create index delivery_taken on delivery (locked_by) where status = 'sending';

-- Every attempt that reached its provider, with what came of it; written in the unit of the outcome.
create table delivery_attempt (
  delivery_id text not null references delivery (id),
  number bigint not null check (number between 0 and 9007199254740991),
  started_at bigint not null check (started_at between 0 and 9007199254740991),
  ended_at bigint not null check (ended_at between 0 and 9007199254740991),
  outcome text not null,
  reason text,
  primary key (delivery_id, number)
);
