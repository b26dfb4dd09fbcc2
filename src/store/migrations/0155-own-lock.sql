-- The lock that citizens hold themselves, beside the mark `locked` of the register: an import leaves it as it is. And how many times
-- they have lifted it on a day (UTC, counted from 1970). Null: never locked.
alter table citizen add column own_lock boolean check (own_lock in (true, false));
alter table citizen add column unlock_day bigint check (unlock_day between 0 and 9007199254740991);
alter table citizen add column unlocks bigint check (unlocks between 0 and 9007199254740991);
