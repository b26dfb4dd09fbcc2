-- The matching policy by which the questions of a client are decided; null: the standing one.
alter table client add column policy text;
