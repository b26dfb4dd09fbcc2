-- The inbox goes by when a message came to lie there: one that waited for send_at is found by that, the others by created_at.
create index notification_of_citizen_awaited on notification (citizen_id, send_at, id) where send_at is not null;
