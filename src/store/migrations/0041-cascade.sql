-- The rule by which a notification counts as served, as its sender named it.
alter table notification add column legal_effect text;

-- lane: one client's messages of one category wait in line behind each other only. A reminder tells again of what the
-- same channel has brought before.
alter table delivery add column lane text not null default '';
alter table delivery add column reminder boolean not null default false check (reminder in (true, false));

drop index delivery_due;
create index delivery_due on delivery (channel, priority, lane, run_at, id) where status = 'queued';
