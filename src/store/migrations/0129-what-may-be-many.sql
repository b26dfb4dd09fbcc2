-- A reference may be that of a million notifications, of which a status is asked that few have.
create index notification_by_reference_and_status on notification (client_id, reference, status, created_at, id)
  where reference is not null;

-- Calls that were given up and are asked for again go back into the queue a page at a time: behind which event they go on, while there are any.
alter table webhook add column revive_after text;
create index webhook_reviving on webhook (id) where revive_after is not null;
