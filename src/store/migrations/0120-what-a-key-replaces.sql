-- A key takes the place of the very one that it was unwrapped from: that of somebody who was erased and came back is another.
alter table citizen_key_rewrap add column replaced bytea;
