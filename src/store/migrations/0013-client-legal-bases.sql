-- The legal bases that a client may state, as a JSON list; null: any.
alter table client add column legal_bases text;
