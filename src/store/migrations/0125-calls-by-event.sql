-- The calls of an event that leaves the feed after its time are found by the event, which stands first in their key; all calls
-- were gone through for each. What was given up is counted, and made again, without going through all that was made.
/* sqlite */ create table by_event (
  webhook_id text not null references webhook (id),
  event_id text not null references feed_event (id),
  status text not null,
  attempts bigint not null check (attempts between 0 and 9007199254740991),
  run_at bigint not null check (run_at between 0 and 9007199254740991),
  answer bigint check (answer between 0 and 9007199254740991),
  primary key (event_id, webhook_id)
) without rowid;
/* sqlite */ insert into by_event (webhook_id, event_id, status, attempts, run_at, answer)
  select webhook_id, event_id, status, attempts, run_at, answer from webhook_call;
/* sqlite */ drop table webhook_call;
/* sqlite */ alter table by_event rename to webhook_call;
/* sqlite */ create index webhook_call_due on webhook_call (webhook_id, run_at, event_id) where status = 'queued';
/* postgres */ alter table webhook_call drop constraint webhook_call_pkey, add primary key (event_id, webhook_id);
create index webhook_call_dead on webhook_call (webhook_id, event_id) where status = 'dead';
