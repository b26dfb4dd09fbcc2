-- A lease lives while renewals grows: who looks at it counts how often it stood still, so that no clock is asked. It is free
-- where its holder is empty.
alter table lease rename column held_until to renewals;
