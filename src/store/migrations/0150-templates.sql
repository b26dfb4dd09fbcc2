-- Texts of a client for messages to many, one for each language. A template is never edited, so a request that is repeated says the
-- same; what was sent by it keeps its own text. `texts` is JSON: no personal data stands in it, that comes with each message.
create table template (
  id text not null primary key,
  client_id text not null,
  name text not null,
  default_language text not null,
  texts text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991)
);
create index template_by_client on template (client_id, id);
