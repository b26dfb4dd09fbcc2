-- Removed webhooks stay, since calls name them, and a client may make and remove them with each release of its own: they are in nobody's way.
drop index webhook_of_client;
create index webhook_of_client on webhook (client_id, id) where status <> 'removed';
