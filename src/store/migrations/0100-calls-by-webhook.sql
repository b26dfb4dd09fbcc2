-- What waits is looked for webhook by webhook, so that one whose receiver is dead does not keep the others waiting.
drop index webhook_call_due;
create index webhook_call_due on webhook_call (webhook_id, run_at, event_id) where status = 'queued';
