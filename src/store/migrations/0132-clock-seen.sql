-- Where the clock was when a server last looked at it, and from when on it is believed where time alone takes something away for good.
create table clock_seen (
  name text not null primary key check (name = 'main'),
  seen_at bigint not null check (seen_at between 0 and 9007199254740991),
  sure_at bigint not null check (sure_at between 0 and 9007199254740991)
);
insert into clock_seen (name, seen_at, sure_at)
select 'main', at, 0 from ledger_checkpoint where kind = 'signed';
