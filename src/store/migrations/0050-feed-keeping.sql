-- The highest number of each client's events that was taken out after its time: a cursor below it has a gap behind it.
alter table feed_head add column pruned bigint not null default 0 check (pruned between 0 and 9007199254740991);

-- How calls are signed: v1 (a shared secret) or v1a (Ed25519, its seed in secret).
alter table webhook add column signature text not null default 'v1';

-- The only hosts that a client may be called at. A client without any may be called at all public ones.
create table webhook_host (
  client_id text not null,
  host text not null,
  primary key (client_id, host)
);
