-- One document each. What is known of its content, and the key that opens it, is in sealed_record, under the key of the
-- citizen; the bytes themselves are a sealed blob under the document's id, outside the database.
create table document (
  id text not null primary key,
  citizen_id text not null,
  issuer text not null,
  status text not null
    check (status in ('receiving', 'scanning', 'available', 'quarantined', 'withdrawn', 'erased')),
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  retain_until bigint check (retain_until between 0 and 9007199254740991),
  sealed_record bytea,
  withdrawn_at bigint check (withdrawn_at between 0 and 9007199254740991),
  erased_at bigint check (erased_at between 0 and 9007199254740991),
  erasure_event text,
  check (status in ('receiving', 'erased') or sealed_record is not null),
  check (status <> 'withdrawn' or withdrawn_at is not null),
  check (status <> 'erased' or (sealed_record is null and erased_at is not null and erasure_event is not null))
);

create index document_of_citizen on document (citizen_id, id);

-- Leave for a client that did not deposit the document, for one purpose, until its end (null: no end).
create table document_grant (
  document_id text not null references document (id),
  client_id text not null,
  purpose text not null,
  granted_at bigint not null check (granted_at between 0 and 9007199254740991),
  ends_at bigint check (ends_at between 0 and 9007199254740991),
  primary key (document_id, client_id, purpose)
);

create index document_grant_of_client on document_grant (client_id, document_id);
