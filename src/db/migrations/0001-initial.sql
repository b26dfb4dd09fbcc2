-- The whole schema, grouped by slice. Both engines read this file, in the SQL that they share.
-- A line `-- engine: sqlite` or `-- engine: postgres` gives the next statement to that engine alone. Such statements
-- differ only in how rows are stored on disk.
--
-- All instants are milliseconds since 1970 (UTC). SQLite has one integer type, so the checks keep whole numbers within
-- what JavaScript represents exactly, and booleans to true and false.
--
-- SQLite keeps a table in the order of an internal row number, and a text key in a second tree. `without rowid` stores
-- small rows in the tree of the key itself, which halves the pages of each lookup. The rows of `citizen` are too large
-- for it: an import in any order would write twice as much. PostgreSQL has no such tables.

---------------------------------------------------------------------------------------------------------------------
-- Ledger: the append-only record of every use of a citizen's data
---------------------------------------------------------------------------------------------------------------------

-- Events that have no number in the log yet. An event is written in the transaction of its effect. The sequencer moves it
-- into ledger_entry.
-- client_id: null for events that no client caused. citizen_id: selects the key that seals the content; null for events
-- about no citizen.
-- citizen_tag: the citizen's pseudonym, by which an erasure finds the events that still wait.
-- engine: sqlite
create table ledger_event (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  citizen_id text,
  citizen_tag bytea,
  content bytea not null
) without rowid;

-- engine: postgres
create table ledger_event (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  citizen_id text,
  citizen_tag bytea,
  content bytea not null
);

-- The entries of the log in their order. `entry` is the Merkle leaf, byte for byte, and never changes.
-- chain: the pseudonym of the citizen, or of the system; its entries are numbered 1, 2, 3 … in `number`.
-- citizen_id: the only link from a pseudonym to a person. Erasing the citizen sets it to null; entries of the system
-- never have one.
create table ledger_entry (
  leaf_index bigint not null primary key check (leaf_index between 0 and 9007199254740991),
  event_id text not null unique,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  citizen_id text,
  chain bytea not null,
  number bigint not null check (number between 1 and 9007199254740991),
  entry bytea not null,
  unique (chain, number)
);

-- The hashes of the Merkle tree, 256 in a tile. The last tile of a level grows until it is full; a smaller version of it
-- is its prefix.
create table ledger_tile (
  level bigint not null check (level between 0 and 63),
  tile bigint not null check (tile between 0 and 9007199254740991),
  hashes bytea not null,
  primary key (level, tile)
);

-- The current tree: one row, moved by compare and swap in the transaction that stores entries and tiles.
-- fence: the fencing token of the sequencer that moved it last; an earlier sequencer is refused.
create table ledger_head (
  log text not null primary key,
  origin text not null,
  size bigint not null check (size between 0 and 9007199254740991),
  root bytea not null,
  fence bigint not null check (fence between 0 and 9007199254740991)
);

-- The newest checkpoint that was signed, and the newest that a quorum of witnesses cosigned.
create table ledger_checkpoint (
  kind text not null primary key check (kind in ('signed', 'cosigned')),
  size bigint not null check (size between 0 and 9007199254740991),
  root bytea not null,
  note text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);

-- The checkpoint that was published when witnesses were asked for the first time. It stays published until they have
-- cosigned a larger tree, so that the log never shows a smaller one than before. Empty without witnesses.
create table ledger_unwitnessed (
  log text not null primary key,
  size bigint not null check (size between 0 and 9007199254740991),
  root bytea not null,
  note text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);

-- The alarms that only processes with the role sequencer can raise. They store them here for the staff pages of other processes.
create table ledger_alarm (
  kind text not null primary key check (kind in ('ledger-alarm', 'ledger-witnesses'))
);

-- The encryption key of each citizen, wrapped by the root key. Deleting the row erases the citizen's content.
-- citizen_id `erased:…` with the pseudonym: the successor key of an erased citizen. It seals what is stored about that id
-- after the erasure, and the next erasure of the id deletes it.
-- engine: sqlite
create table citizen_key (
  citizen_id text not null primary key,
  wrapped bytea not null,
  root_key_id text not null
) without rowid;

-- engine: postgres
create table citizen_key (
  citizen_id text not null primary key,
  wrapped bytea not null,
  root_key_id text not null
);

-- Keys that a root key rotation has wrapped again, until one statement copies them into citizen_key. Filled and emptied
-- within one transaction.
create table citizen_key_rewrap (
  citizen_id text not null primary key,
  wrapped bytea not null
);

-- Citizens whose key was destroyed, by pseudonym. It distinguishes erased content from content that somebody changed.
-- event_id: the `citizen.erased` event.
-- up_to: the newest event about the citizen that had no number at the erasure, or the erasure itself if that is newer
-- (the clocks of processes differ). Entries up to it lose the name, also if a sequencer was storing them meanwhile.
-- register_kept: whether the erasure kept the row of the register.
-- named_up_to: entries up to this number of the chain may still have the name, which is removed in batches. Null when done.
create table citizen_erasure (
  chain bytea not null primary key,
  event_id text not null,
  at bigint not null check (at between 0 and 9007199254740991),
  register_kept boolean not null check (register_kept in (true, false)),
  up_to text not null,
  named_up_to bigint check (named_up_to between 0 and 9007199254740991)
);

-- Answers `max(up_to)`: the sequencer asks once for a batch of events whether any erasure concerns them. Nearly always none does.
create index citizen_erasure_reach on citizen_erasure (up_to);
create index citizen_erasure_unfinished on citizen_erasure (named_up_to) where named_up_to is not null;

-- The endpoints that this installation has published, each with the ledger event that says so.
create table endpoint (
  name text not null,
  schema_hash text not null,
  since text not null,
  method text not null,
  path text not null,
  event_id text not null,
  registered_at bigint not null check (registered_at between 0 and 9007199254740991),
  primary key (name, schema_hash)
);

---------------------------------------------------------------------------------------------------------------------
-- Auth: keys, clients, tokens and quotas
---------------------------------------------------------------------------------------------------------------------

-- The root keys that have wrapped something. A retired one is refused: a transaction that stores what it has wrapped
-- fails, so that nothing new depends on a key that a rotation removes from its file.
create table root_key (
  root_key_id text not null primary key,
  retired boolean not null check (retired in (true, false))
);

-- The keys that sign tokens, results, checkpoints and evidence; the private part is wrapped by the root key. A key is never
-- deleted, because its public part verifies what it signed.
-- withdrawn: the key may be compromised, so it is no longer published.
create table signing_key (
  kid text not null primary key,
  use text not null check (use in ('access-token', 'result', 'checkpoint', 'evidence')),
  alg text not null check (alg in ('ES256', 'Ed25519')),
  public_jwk text not null,
  sealed_private bytea not null,
  root_key_id text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  retire_at bigint check (retire_at between 0 and 9007199254740991),
  withdrawn boolean not null default false check (withdrawn in (true, false))
);

-- The programs that may call. A client authenticates by exactly one of: a secret (its hash), its own keys, keys at an
-- https URL, a certificate, or another issuer.
-- binding: what its access tokens must be bound to.
-- purposes, legal_bases: JSON lists of what it may state; null: any.
-- purpose_texts: what the purposes mean in words, for citizens; JSON by purpose and language.
-- policy: the matching policy for its verifications; null: the default policy.
-- return_address: where its undeliverable letters are returned to, a JSON list of lines; null: LETTER_RETURN_ADDRESS.
create table client (
  client_id text not null primary key,
  name text not null,
  kind text not null check (kind in ('demo', 'test', 'team', 'live')),
  scopes text not null,
  secret_hash bytea,
  jwks text,
  jwks_uri text,
  certificate text,
  issuer text,
  binding text not null check (binding in ('none', 'dpop', 'mtls')),
  purposes text,
  purpose_texts text,
  registration_certificates text,
  legal_bases text,
  policy text,
  return_address text,
  reply_to text,
  contact_phone text,
  contact_email text,
  contact_url text,
  sms_sender text,
  notice_only text,
  quota_per_second bigint not null check (quota_per_second between 1 and 1000000),
  quota_burst bigint not null check (quota_burst between 1 and 10000000),
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  disabled_at bigint check (disabled_at between 0 and 9007199254740991),
  check (
    (secret_hash is not null and jwks is null and jwks_uri is null and certificate is null and issuer is null)
    or (secret_hash is null and jwks is not null and jwks_uri is null and certificate is null and issuer is null)
    or (secret_hash is null and jwks is null and jwks_uri is not null and certificate is null and issuer is null)
    or (secret_hash is null and jwks is null and jwks_uri is null and certificate is not null and issuer is null)
    or (secret_hash is null and jwks is null and jwks_uri is null and certificate is null and issuer is not null)
  )
);

-- Facts of the authorization server that expire: used client assertions and DPoP proofs, and sessions of citizens and staff.
-- citizen_id: the citizen of a session, whose erasure deletes the row.
create table oauth_record (
  model text not null,
  id text not null,
  payload text not null,
  expires_at bigint not null check (expires_at between 0 and 9007199254740991),
  citizen_id text,
  primary key (model, id)
);

create index oauth_record_of_citizen on oauth_record (citizen_id) where citizen_id is not null;
create index oauth_record_expiry on oauth_record (expires_at);
-- Each sign-in deletes some expired sessions, without reading other expired records.
create index oauth_record_session on oauth_record (model, expires_at) where model = 'CitizenSession';
create index oauth_record_staff_session on oauth_record (model, expires_at) where model = 'StaffSession';

-- The token bucket of a client and scope, shared by all processes.
-- units: what was left at `at`, in thousandths of a request. granted: requests that the last process received.
create table quota_bucket (
  client_id text not null,
  scope text not null,
  units bigint not null check (units between 0 and 9007199254740991),
  at bigint not null check (at between 0 and 9007199254740991),
  granted bigint not null check (granted between 0 and 9007199254740991),
  primary key (client_id, scope)
);

-- The requests of a client by day (days since 1970, UTC), operation and outcome: a decision, the name of a problem, or `ok`.
-- Counted in memory and added every few seconds, so a crash loses some. Deleted after 90 days.
create table client_use (
  client_id text not null,
  day bigint not null check (day between 0 and 9007199254740991),
  operation text not null,
  outcome text not null,
  requests bigint not null check (requests between 0 and 9007199254740991),
  primary key (client_id, day, operation, outcome)
);

create index client_use_by_day on client_use (day);

-- What is known of the keys and other credentials of a client.
-- added_at: null for those that the client had from the start, and for those that it publishes itself.
-- last_used_at: when one was last used to get a token; written at most once an hour.
create table client_credential (
  client_id text not null,
  credential_id text not null,
  added_at bigint check (added_at between 0 and 9007199254740991),
  last_used_at bigint check (last_used_at between 0 and 9007199254740991),
  primary key (client_id, credential_id)
);

-- The response to a request with an Idempotency-Key. The worker deletes rows after 30 days.
-- citizen_id: the citizen whose data the request used, whose erasure deletes the row.
-- fingerprint: an HMAC of the request; another request with the same key is refused.
create table idempotency (
  client_id text not null,
  operation text not null,
  key text not null,
  citizen_id text,
  fingerprint bytea not null,
  status bigint not null check (status between 100 and 599),
  headers text not null,
  body text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  primary key (client_id, operation, key)
);

create index idempotency_of_citizen on idempotency (citizen_id) where citizen_id is not null;
create index idempotency_by_age on idempotency (created_at);

---------------------------------------------------------------------------------------------------------------------
-- Identity: the embedded register, and verifications against it
---------------------------------------------------------------------------------------------------------------------

-- The embedded register: one row per citizen, with the values as they were imported.
-- locked, deceased: no claims match. locked_by_citizen: citizens set and remove this lock themselves; imports do not change it.
-- unlocks: the number of times that the citizen removed this lock on unlock_day (days since 1970, UTC).
-- former_names, former_addresses: JSON lists of former values with their dates.
-- family_key, given_key, street_key: search keys. The program computes them (identity/names/name-key.ts), because the
-- engines fold text differently. family_key is the key of the given name if there is no family name. given_key and
-- street_key are null without a given name or street.
create table citizen (
  citizen_id text not null primary key,
  given_name text,
  family_name text,
  birth_family_name text,
  birth_date text,
  birth_place text,
  nationality text,
  street_address text,
  postal_code text,
  locality text,
  country text,
  document_number text,
  email text,
  phone text,
  language text,
  under_review boolean not null default false check (under_review in (true, false)),
  locked boolean not null default false check (locked in (true, false)),
  deceased boolean not null default false check (deceased in (true, false)),
  locked_by_citizen boolean check (locked_by_citizen in (true, false)),
  unlock_day bigint check (unlock_day between 0 and 9007199254740991),
  unlocks bigint check (unlocks between 0 and 9007199254740991),
  former_names text,
  former_addresses text,
  family_key text not null,
  given_key text,
  street_key bigint check (street_key between 0 and 9007199254740991),
  imported_by text not null
);

-- Candidates born on one date, whatever their names (policies that decide by probability), or with one name.
create index citizen_by_birth on citizen (birth_date, family_key, given_key);
-- Candidates of an address. The same street and number exist in many towns, so the postal code is part of the key.
create index citizen_by_street on citizen (street_key, postal_code);
-- Candidates with both names, and candidates with a family name and a birth date. In SQLite one index serves both,
-- because each further index slows down imports, and the registers there are small. With the birth date in second
-- place SQLite would read every bearer of a family name to find those with a given name.
-- engine: sqlite
create index citizen_by_names on citizen (family_key, given_key, birth_date);
-- engine: postgres
create index citizen_by_names on citizen (family_key, given_key);
-- engine: postgres
create index citizen_by_name_and_birth on citizen (family_key, birth_date);

-- The other family names by which a search finds a citizen: former names, the name at birth, and further keys of a present
-- name with several spellings. birth_date is a copy, so that one index has name and date; imports keep it up to date.
create table former_name (
  citizen_id text not null,
  kind text not null check (kind in ('birth', 'former', 'present')),
  family_key text not null,
  birth_date text not null,
  primary key (citizen_id, kind, family_key)
);

create index former_name_by_name_and_birth on former_name (family_key, birth_date);

-- The progress of the import of one file. It is committed with the rows that it counts, so that an interrupted import
-- continues after them.
-- fingerprint: SHA-256 of the file and its options. faults: JSON counts of reasons, and their first rows.
create table register_import (
  id text not null primary key,
  fingerprint text not null unique,
  next_offset bigint not null check (next_offset between 0 and 9007199254740991),
  rows_read bigint not null check (rows_read between 0 and 9007199254740991),
  rows_stored bigint not null check (rows_stored between 0 and 9007199254740991),
  rows_refused bigint not null check (rows_refused between 0 and 9007199254740991),
  rows_left_out bigint not null check (rows_left_out between 0 and 9007199254740991),
  faults text not null,
  errors_bytes bigint not null check (errors_bytes between 0 and 9007199254740991),
  finished boolean not null check (finished in (true, false)),
  started_at bigint not null check (started_at between 0 and 9007199254740991),
  updated_at bigint not null check (updated_at between 0 and 9007199254740991)
);

create index register_import_unfinished on register_import (updated_at) where finished = false;

-- JSON counts of the most frequent values of a claim in the register. They can be counted again at any time.
create table register_frequency (
  claim text not null primary key,
  persons bigint not null check (persons between 0 and 9007199254740991),
  counted_at bigint not null check (counted_at between 0 and 9007199254740991),
  document text not null
);

-- Matching policies of the operator. Results name their policy, so a policy never changes: changed rules get a new name.
create table match_policy (
  name text not null primary key,
  document text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991)
);

-- The stored result of each verification, for the client that asked. No value of a claim is in clear text.
-- citizen_id: the id in the request, known or not, or the one citizen that a search is about; otherwise null. An erasure
-- replaces it by `erased:…`, and empties the result.
-- sealed_result: encrypted under the key of that citizen; without a citizen under a key derived from the id of the row.
-- is_search: the request had no citizen id. Reading the result then writes the same ledger entries, whether the search found
-- a citizen or not.
create table verification (
  id text not null primary key,
  client_id text not null,
  citizen_id text,
  is_search boolean not null check (is_search in (true, false)),
  checked_at bigint not null check (checked_at between 0 and 9007199254740991),
  sealed_result bytea not null
);

-- The rows that an erasure changes.
create index verification_of_citizen on verification (citizen_id) where citizen_id is not null;

-- Sealed bytes cannot be compressed. PostgreSQL would try that for each row above 2 kB, and then move parts of it to another
-- table. These rows are read as a whole, so they stay in one piece, up to a page.
-- engine: postgres
alter table verification set (toast_tuple_target = 8160);

-- The administrative numbers of wallets that citizens agreed to keep, so that a wallet is recognised after a change of name.
-- link: an HMAC of the issuing country and the number, which is not stored. issuing_country: ISO 3166-1 alpha-2.
create table wallet_link (
  link text not null primary key,
  citizen_id text not null,
  issuing_country text not null,
  kept_at bigint not null check (kept_at between 0 and 9007199254740991)
);

create index wallet_link_by_citizen on wallet_link (citizen_id);

-- The failed verifications of each verification key, over all clients and processes (identity/verification-limit).
-- verification_key: an HMAC of a citizen id, known or not, or of a part of the claims of a search.
-- failures: a JSON list of distinct wrong sets of claims (an HMAC each) with their times; failures of the last 30 days count.
-- version: increases with each write. An update of an older version writes nothing, and the process counts again.
-- notified_at: the time of the message that the limit was reached, written in the transaction that stores the message.
-- notifying_since: the time at which a process last began to prepare this message.
-- engine: sqlite
create table verification_limit (
  verification_key text not null primary key,
  failures text not null,
  version bigint not null check (version between 0 and 9007199254740991),
  updated_at bigint not null check (updated_at between 0 and 9007199254740991),
  notified_at bigint check (notified_at between 0 and 9007199254740991),
  notifying_since bigint check (notifying_since between 0 and 9007199254740991)
) without rowid;

-- engine: postgres
create table verification_limit (
  verification_key text not null primary key,
  failures text not null,
  version bigint not null check (version between 0 and 9007199254740991),
  updated_at bigint not null check (updated_at between 0 and 9007199254740991),
  notified_at bigint check (notified_at between 0 and 9007199254740991),
  notifying_since bigint check (notifying_since between 0 and 9007199254740991)
);

create index verification_limit_by_age on verification_limit (updated_at);

---------------------------------------------------------------------------------------------------------------------
-- Notifications
---------------------------------------------------------------------------------------------------------------------

-- One official message to one citizen. `content` is subject and message, sealed under the citizen's key. `status` is
-- derived from the deliveries, as of the last outcome.
-- legal_effect: the rule by which the notification counts as served, as its sender named it.
-- accepted_event: the ledger event of the acceptance.
-- The erasure of the citizen replaces citizen_id by `erased:…`, removes the reference, and empties the content.
create table notification (
  id text not null primary key,
  client_id text not null,
  citizen_id text not null,
  reference text,
  category text not null,
  language text,
  legal_effect text,
  notice_only boolean not null default false check (notice_only in (true, false)),
  status text not null,
  status_at bigint not null check (status_at between 0 and 9007199254740991),
  revision bigint not null check (revision between 0 and 9007199254740991),
  content bytea not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  send_at bigint check (send_at between 0 and 9007199254740991),
  deliver_by bigint not null check (deliver_by between 0 and 9007199254740991),
  accepted_event text not null,
  batch_id text,
  batch_row bigint check (batch_row between 1 and 9007199254740991)
);

-- Keeps sealed content in one piece, for the reason given at `verification`.
-- engine: postgres
alter table notification set (toast_tuple_target = 8160);

-- A client's list, with or without a status: the newest notifications are among the newest of each status, so one index
-- serves both.
create index notification_of_client_by_status on notification (client_id, status, created_at, id);
-- A million notifications may share a reference, so the status is part of the key.
create index notification_by_reference_and_status on notification (client_id, reference, status, created_at, id)
  where reference is not null;
-- The inbox lists messages by arrival: at send_at for scheduled ones, at created_at for all others.
create index notification_of_citizen on notification (citizen_id, created_at, id);
create index notification_of_citizen_awaited on notification (citizen_id, send_at, id) where send_at is not null;
create index notification_open on notification (deliver_by) where status in ('accepted', 'scheduled', 'sending');
-- The rows of a batch in their order, and those in one status. Unique, so that no row is sent twice.
create unique index notification_of_batch on notification (batch_id, batch_row) where batch_id is not null;
create index notification_of_batch_by_status on notification (batch_id, status, batch_row) where batch_id is not null;

-- The job of one channel, and the queue itself.
-- attempts: the fencing token. It grows with each claim, and only its current value can complete the job.
-- started_at: the mark of the attempt, written before the provider is called. After a crash, a row without it is queued
-- again, and a row with it becomes unknown. locked_by names the lease that says whether the worker is alive.
-- priority: 0 (urgent) goes before 1, and 1 before 2 (rows of batches). lane: messages of one client and category wait only for each other.
-- reminder: announces again what the same channel has delivered before.
-- early_report: the provider's report on an attempt whose outcome is not stored yet. Removed when the outcome is stored.
create table delivery (
  id text not null primary key,
  notification_id text not null references notification (id),
  channel text not null,
  status text not null,
  priority bigint not null check (priority between 0 and 9007199254740991),
  lane text not null default '',
  reminder boolean not null default false check (reminder in (true, false)),
  run_at bigint not null check (run_at between 0 and 9007199254740991),
  attempts bigint not null check (attempts between 0 and 9007199254740991),
  locked_by text,
  started_at bigint check (started_at between 0 and 9007199254740991),
  ended_at bigint check (ended_at between 0 and 9007199254740991),
  reason text,
  provider_ref text,
  early_report text
);

create index delivery_of_notification on delivery (notification_id, id);
create index delivery_due on delivery (channel, priority, lane, run_at, id) where status = 'queued';
create index delivery_claimed on delivery (locked_by) where status = 'sending';
-- A delivery report may name a text message only by the id of the gateway.
create index delivery_of_sms_reference on delivery (provider_ref) where channel = 'sms' and provider_ref is not null;

-- The channels that staff have paused: no process claims a delivery of such a channel. `content` has the reason and the person,
-- sealed like the staff log.
create table paused_channel (
  channel text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  content bytea not null
);

-- Each attempt that reached its provider, with its outcome; written in the transaction of the outcome.
create table delivery_attempt (
  delivery_id text not null references delivery (id),
  number bigint not null check (number between 0 and 9007199254740991),
  started_at bigint not null check (started_at between 0 and 9007199254740991),
  ended_at bigint not null check (ended_at between 0 and 9007199254740991),
  outcome text not null,
  reason text,
  primary key (delivery_id, number)
);

-- Former states that the rows above no longer show: a notification was sent, unknown or undeliverable until more became
-- known, a delivery had failed until then, or the citizen and not the provider proved a delivery (`confirmed`). Rows are only added, in the
-- transaction of the change. subject_id: the notification, or one of its deliveries.
create table notification_history (
  notification_id text not null references notification (id),
  subject_id text not null,
  status text not null,
  at bigint not null check (at between 0 and 9007199254740991),
  reason text,
  primary key (notification_id, subject_id, status)
);

-- The marks that a citizen gave to a message in the inbox: archived, or unread again. No row: no mark. They are apart from the
-- notification, so that they change neither its revision nor anything that its sender or its evidence shows.
create table inbox_mark (
  notification_id text not null primary key references notification (id),
  archived boolean not null default false check (archived in (true, false)),
  unread boolean not null default false check (unread in (true, false))
);

-- The legal effect of a notification as evidence first stated it, as JSON. Never changed: a later change of the calendar
-- must not change evidence that was already issued.
create table stated_effect (
  notification_id text not null primary key references notification (id),
  effect text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);

-- A file of messages that a client uploads, with one row for each message.
-- options: JSON of the options of the upload. columns: JSON list of the columns; null until they are known.
-- delimiter: of a CSV file, in which the results are written too; null until it is known, and for JSON Lines.
-- wrapped_key: the key that seals the upload, wrapped by the root key. Null when the upload was deleted.
-- row_count: null until the whole file was received. checked, handled: the number of rows that the check and the sending
-- have finished. Each of their units moves it from the value that they have read, so that no row is handled twice.
-- start_before: the deadline for the start, from the deadlines of the rows that were checked without a fault; null without such a row.
-- code, detail: why the file was refused, or why the server cancelled the batch.
create table notification_batch (
  id text not null primary key,
  client_id text not null,
  idempotency_key text,
  name text,
  format text not null,
  options text not null,
  state text not null,
  code text,
  detail text,
  columns text,
  delimiter text,
  wrapped_key bytea,
  row_count bigint check (row_count between 0 and 9007199254740991),
  checked bigint not null check (checked between 0 and 9007199254740991),
  handled bigint not null check (handled between 0 and 9007199254740991),
  refused bigint not null check (refused between 0 and 9007199254740991),
  accepted bigint not null check (accepted between 0 and 9007199254740991),
  start_before bigint check (start_before between 0 and 9007199254740991),
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  ended_at bigint check (ended_at between 0 and 9007199254740991)
);

create unique index notification_batch_by_key on notification_batch (client_id, idempotency_key)
  where idempotency_key is not null;
create index notification_batch_of_client on notification_batch (client_id, id);
create index notification_batch_open on notification_batch (client_id) where ended_at is null;
create index notification_batch_waiting on notification_batch (state, created_at) where ended_at is null;
create index notification_batch_kept on notification_batch (created_at) where wrapped_key is not null;

-- The rows of an upload, sealed under the key of the batch. first_row: the number of the first of them, from 1.
-- digest: an HMAC of the rows under the key of the batch, which compares a repeated upload.
create table notification_batch_piece (
  batch_id text not null references notification_batch (id),
  first_row bigint not null check (first_row between 1 and 9007199254740991),
  digest bytea not null,
  sealed bytea not null,
  primary key (batch_id, first_row)
);

-- Rows that are refused, with the reason. All other rows are notifications, once the batch has sent them.
-- engine: sqlite
create table notification_batch_refusal (
  batch_id text not null references notification_batch (id),
  batch_row bigint not null check (batch_row between 1 and 9007199254740991),
  code text not null,
  detail text not null,
  primary key (batch_id, batch_row)
) without rowid;

-- engine: postgres
create table notification_batch_refusal (
  batch_id text not null references notification_batch (id),
  batch_row bigint not null check (batch_row between 1 and 9007199254740991),
  code text not null,
  detail text not null,
  primary key (batch_id, batch_row)
);

-- Texts of a client for messages to many citizens, one per language. A template is never edited, so a repeated request
-- sends the same text. `texts` is JSON without personal data.
-- languages, placeholders: JSON lists for the list of templates, because 200 templates may have texts of 12 MB.
create table template (
  id text not null primary key,
  client_id text not null,
  name text not null,
  default_language text not null,
  languages text not null,
  placeholders text not null,
  texts text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991)
);

create index template_by_client on template (client_id, id);

-- How a citizen wants to be reached, and addresses that were verified. Both are sealed under the citizen's key, and
-- apart, so that writing one never overwrites the other.
create table contact_preference (
  citizen_id text not null primary key,
  preferences bytea,
  verified bytea,
  changed_at bigint not null check (changed_at between 0 and 9007199254740991)
);

-- The code that was sent to an address that a citizen wants to verify: address and code, sealed under the citizen's key.
-- One for each channel. notification_id: the message that contains it, which distinguishes it from the code before.
create table contact_code (
  citizen_id text not null,
  channel text not null,
  notification_id text not null,
  sealed bytea not null,
  ends_at bigint not null check (ends_at between 0 and 9007199254740991),
  tries bigint not null check (tries between 0 and 9007199254740991),
  primary key (citizen_id, channel)
);

create unique index contact_code_by_notification on contact_code (notification_id);
create index contact_code_by_end on contact_code (ends_at);

-- The number of codes that were requested on a day (days since 1970, UTC), by a citizen and for an address.
-- subject: a keyed hash of the day and the citizen id or address, neither of which is stored.
create table contact_code_count (
  subject bytea not null primary key,
  day bigint not null check (day between 0 and 9007199254740991),
  requests bigint not null check (requests between 0 and 9007199254740991)
);

create index contact_code_count_by_day on contact_code_count (day);

---------------------------------------------------------------------------------------------------------------------
-- Webhooks and the event feed: status changes of notifications, for their senders
---------------------------------------------------------------------------------------------------------------------

-- One status change, written in its transaction under the id of its ledger event.
-- number: given later, one by one for each client, so that an event that was committed late gets a higher number and
-- the feed never has a gap. Null until then.
create table feed_event (
  id text not null primary key,
  client_id text not null,
  number bigint check (number between 0 and 9007199254740991),
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  data text not null
);

create index feed_event_new on feed_event (id) where number is null;
create unique index feed_event_number on feed_event (client_id, number) where number is not null;

-- last: the last number given to a client's events. pruned: the highest number that was deleted after its retention;
-- a cursor below it would miss events, and is refused.
create table feed_head (
  client_id text not null primary key,
  last bigint not null check (last between 0 and 9007199254740991),
  pruned bigint not null default 0 check (pruned between 0 and 9007199254740991)
);

-- Where a client receives events. Removed webhooks stay, because calls refer to them.
-- signature: `v1` (shared secret) or `v1a` (Ed25519, whose seed is the secret). The secrets are sealed; the old one also
-- signs until old_until.
-- redeliver_after: a redelivery queues dead calls in batches; this is the last event id of the previous batch. Null when done.
create table webhook (
  id text not null primary key,
  client_id text not null,
  url text not null,
  status text not null,
  signature text not null default 'v1',
  secret bytea not null,
  old_secret bytea,
  old_until bigint check (old_until between 0 and 9007199254740991),
  redeliver_after text,
  created_at bigint not null check (created_at between 0 and 9007199254740991)
);

create index webhook_of_client on webhook (client_id, id) where status <> 'removed';
create index webhook_redelivering on webhook (id) where redeliver_after is not null;

-- Older secrets of a webhook whose secret was replaced several times within a day. Each also signs until its promised time.
create table webhook_old_secret (
  webhook_id text not null references webhook (id),
  until bigint not null check (until between 0 and 9007199254740991),
  secret bytea not null,
  primary key (webhook_id, until)
);

-- The only hosts that webhooks of a client may have. A client without any may use all public hosts.
create table webhook_host (
  client_id text not null,
  host text not null,
  primary key (client_id, host)
);

-- One event for one webhook, and the queue itself. A claim moves run_at forward, so that a lost worker costs a minute.
-- status `dead`: given up, and kept until its client asks for it again.
-- answer, outcome, started_at, duration_ms: the HTTP status, outcome, time and duration of the last attempt that has ended.
-- The event is first in the key, because calls are deleted with their event.
-- engine: sqlite
create table webhook_call (
  webhook_id text not null references webhook (id),
  event_id text not null references feed_event (id),
  status text not null,
  attempts bigint not null check (attempts between 0 and 9007199254740991),
  run_at bigint not null check (run_at between 0 and 9007199254740991),
  answer bigint check (answer between 0 and 9007199254740991),
  outcome text,
  started_at bigint check (started_at between 0 and 9007199254740991),
  duration_ms bigint check (duration_ms between 0 and 9007199254740991),
  primary key (event_id, webhook_id)
) without rowid;

-- engine: postgres
create table webhook_call (
  webhook_id text not null references webhook (id),
  event_id text not null references feed_event (id),
  status text not null,
  attempts bigint not null check (attempts between 0 and 9007199254740991),
  run_at bigint not null check (run_at between 0 and 9007199254740991),
  answer bigint check (answer between 0 and 9007199254740991),
  outcome text,
  started_at bigint check (started_at between 0 and 9007199254740991),
  duration_ms bigint check (duration_ms between 0 and 9007199254740991),
  primary key (event_id, webhook_id)
);

-- By webhook, so that one whose receiver does not respond does not delay the others.
create index webhook_call_due on webhook_call (webhook_id, run_at, event_id) where status = 'queued';
-- A client lists the calls of its webhook.
create index webhook_call_of_webhook on webhook_call (webhook_id, event_id);
create index webhook_call_dead on webhook_call (webhook_id, event_id) where status = 'dead';

---------------------------------------------------------------------------------------------------------------------
-- Documents
---------------------------------------------------------------------------------------------------------------------

-- One document. `sealed_record` has what is known of its content, and the key that opens it, sealed under the key of the citizen.
-- The bytes are a sealed blob named by the document's id, outside the database.
-- scan_due_at: when the document is scanned next. scan_attempts: how many scans have failed. scan_verdict, scan_engine,
-- scan_finding: the last result; `not-scanned` is a document that the operator released without a scanner.
-- holds: the number of legal holds on this document, including those on its citizen. Above 0 it is never erased.
-- erasure_due_at: when the document must be erased: withdrawn or at the end of its retention class, and its minimum
-- retention over. The deletion job finds due documents by it.
create table document (
  id text not null primary key,
  citizen_id text not null,
  issuer text not null,
  status text not null
    check (status in ('receiving', 'scanning', 'available', 'quarantined', 'withdrawn', 'erased')),
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  sealed_record bytea,
  scan_due_at bigint check (scan_due_at between 0 and 9007199254740991),
  scan_attempts bigint not null default 0 check (scan_attempts between 0 and 9007199254740991),
  scanned_at bigint check (scanned_at between 0 and 9007199254740991),
  scan_verdict text check (scan_verdict in ('clean', 'infected', 'unscannable', 'not-scanned')),
  scan_engine text,
  scan_finding text,
  retention_class text,
  retain_until bigint check (retain_until between 0 and 9007199254740991),
  erase_at bigint check (erase_at between 0 and 9007199254740991),
  holds bigint not null default 0 check (holds between 0 and 9007199254740991),
  withdrawn_at bigint check (withdrawn_at between 0 and 9007199254740991),
  erased_at bigint check (erased_at between 0 and 9007199254740991),
  erasure_event text,
  erasure_due_at bigint generated always as (
    case
      when status = 'withdrawn' then coalesce(retain_until, 0)
      when status = 'erased' then null
      when retain_until > erase_at then retain_until
      else erase_at
    end
  ) stored,
  check (status in ('receiving', 'erased') or sealed_record is not null),
  check (status <> 'withdrawn' or withdrawn_at is not null),
  check (status <> 'erased' or (sealed_record is null and erased_at is not null and erasure_event is not null))
);

create index document_of_citizen on document (citizen_id, id);
-- A client lists its deposits, of one status or of all.
create index document_of_issuer on document (issuer, status, id);
create index document_scan_due on document (scan_due_at, id) where scan_due_at is not null;
-- Without erased and withdrawn documents, which are not scanned again.
create index document_to_rescan on document (coalesce(scanned_at, 0), id)
  where scan_due_at is null and status in ('available', 'quarantined');
-- The few documents that the staff pages count.
create index document_quarantined on document (status, scan_verdict) where status = 'quarantined';
create index document_to_erase on document (erasure_due_at, id) where erasure_due_at is not null;
-- The documents that an event erased: their issuers may read its receipt.
create index document_of_erasure on document (erasure_event) where erasure_event is not null;

-- Permission for a client that did not deposit the document, for one purpose. ends_at: null for no end.
create table document_grant (
  document_id text not null references document (id),
  client_id text not null,
  purpose text not null,
  granted_at bigint not null check (granted_at between 0 and 9007199254740991),
  ends_at bigint check (ends_at between 0 and 9007199254740991),
  primary key (document_id, client_id, purpose)
);

create index document_grant_of_client on document_grant (client_id, document_id);

-- How long documents of a class are kept: not erased before keep_days, erased by the deletion job after erase_after_days
-- (null: never automatically), both from the day of issue. A change applies to later deposits.
create table retention_class (
  name text not null primary key,
  keep_days bigint not null check (keep_days between 0 and 73000),
  erase_after_days bigint check (erase_after_days between 0 and 73000),
  legal_basis text not null,
  changed_at bigint not null check (changed_at between 0 and 9007199254740991),
  check (erase_after_days is null or erase_after_days >= keep_days)
);

-- A legal hold on one document, or on everything of a citizen (document_id null). Its reason is in its ledger event, sealed.
create table document_hold (
  id text not null primary key,
  citizen_id text not null,
  document_id text references document (id),
  placed_at bigint not null check (placed_at between 0 and 9007199254740991),
  released_at bigint check (released_at between 0 and 9007199254740991)
);

create index document_hold_of_citizen on document_hold (citizen_id, id);
-- Counts the holds of a document without reading released ones.
create index document_hold_standing on document_hold (document_id) where released_at is null;

-- holds: the number of holds that concern a citizen, of both kinds. whole: how many of them are on everything. A new
-- hold and the erasure of the citizen both write this row, so that one of them sees the other.
create table citizen_hold (
  citizen_id text not null primary key,
  holds bigint not null check (holds between 0 and 9007199254740991),
  whole bigint not null check (whole between 0 and 9007199254740991)
);

---------------------------------------------------------------------------------------------------------------------
-- Wallets
---------------------------------------------------------------------------------------------------------------------

-- A request of a client to the wallet of a citizen. terms: what was asked, with nonces and private keys; pending: the checked attributes
-- until the service confirms its session. Both are sealed under a key of the root key, and deleted at the end. No row names a citizen.
-- keeps_link: whether the citizen agreed to be recognised next time; null if the page has not asked.
create table presentation (
  id text not null primary key,
  client_id text not null,
  status text not null check (
    status in ('requested', 'fetched', 'answered', 'completed', 'refused', 'failed', 'expired', 'cancelled')),
  created_at bigint not null check (created_at between 0 and 9007199254740991),
  expires_at bigint not null check (expires_at between 0 and 9007199254740991),
  ended_at bigint check (ended_at between 0 and 9007199254740991),
  purpose bytea,
  keeps_link boolean check (keeps_link in (true, false)),
  code_attempts bigint not null default 0 check (code_attempts between 0 and 9007199254740991),
  reason text,
  wallet_error text,
  verification_id text,
  terms bytea,
  pending bytea,
  check ((status in ('requested', 'fetched', 'answered')) = (ended_at is null)),
  check (ended_at is null or (terms is null and pending is null))
);

create index presentation_to_expire on presentation (expires_at) where ended_at is null;
create index presentation_to_delete on presentation (ended_at) where ended_at is not null;

-- The secret parts of addresses that a wallet or a browser opens, hashed.
create table presentation_handle (
  tag text not null primary key,
  presentation_id text not null references presentation (id)
);

create index presentation_handle_of on presentation_handle (presentation_id);

---------------------------------------------------------------------------------------------------------------------
-- Staff
---------------------------------------------------------------------------------------------------------------------

-- The staff log: who of the staff did what. `content` has the person, the reason and what changed, sealed under a key of the root
-- key. It has no id of a citizen: the entries of the ledger that it names have the citizen.
-- subject_tag: an HMAC of the subject of the person. service: the client of the person.
create table staff_entry (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  subject_tag text not null,
  service text,
  operation text not null,
  content bytea not null
);

create index staff_entry_of_person on staff_entry (subject_tag, operation, at);

-- The ledger events of an entry.
create table staff_entry_event (
  event_id text not null primary key,
  entry_id text not null references staff_entry (id)
);

create index staff_entry_event_of_entry on staff_entry_event (entry_id, event_id);

-- A batch that a person of the staff started alone. The messages of one person within 24 hours count together.
create table staff_batch_start (
  batch_id text not null primary key references notification_batch (id),
  subject_tag text not null,
  at bigint not null check (at between 0 and 9007199254740991),
  messages bigint not null check (messages between 0 and 9007199254740991)
);

create index staff_batch_start_of_person on staff_batch_start (subject_tag, at);

-- The result of a look-up of staff, for the person who made it, for a short time. `content` has the ids of the citizens, sealed like the
-- staff log; the data itself is read again.
create table staff_look_up (
  id text not null primary key,
  expires_at bigint not null check (expires_at between 0 and 9007199254740991),
  subject_tag text not null,
  content bytea not null
);

-- An operation that one person proposes and another one approves. `content` has the input without the id of the citizen, the reason
-- and the people, sealed like the staff log. proposer_tag: the person who made it, as in `staff_entry`. citizen_id: the citizen whom it
-- concerns, replaced by the erasure. input_tag: the keyed hash of service, operation, input and state while it waits, because only one
-- such proposal may wait.
create table staff_proposal (
  id text not null primary key,
  at bigint not null check (at between 0 and 9007199254740991),
  expires_at bigint not null check (expires_at between 0 and 9007199254740991),
  operation text not null,
  status text not null check (status in ('proposed', 'approved', 'refused')),
  proposer_tag text not null,
  service text,
  citizen_id text,
  input_tag text,
  content bytea not null
);

create index staff_proposal_by_status on staff_proposal (status, id);
create index staff_proposal_of_citizen on staff_proposal (citizen_id) where citizen_id is not null;
create unique index staff_proposal_by_input on staff_proposal (input_tag) where input_tag is not null;

-- When the newest backup began that the operator has recorded as complete: one row.
create table backup_record (
  name text not null primary key check (name = 'newest'),
  begun_at bigint not null check (begun_at between 0 and 9007199254740991)
);

---------------------------------------------------------------------------------------------------------------------
-- Wallets
---------------------------------------------------------------------------------------------------------------------

-- The lists that credentials in wallets are checked with, as the server fetched them. They contain no data of citizens.
-- credential: the name of the kind of credential in WALLET_TRUST. role: a list of trusted entities, or a status list.
-- fetched_at, content: null until the list was fetched. expires_at: from then on the list is not used. Before it was fetched, the
-- time at which a credential or the settings first named it.
-- sequence_number: that of a list of trusted entities, or the issue time of a status list. A lower one does not replace a higher one.
create table wallet_list (
  credential text not null,
  url text not null,
  role text not null check (role in ('issuers', 'status')),
  next_fetch_at bigint not null check (next_fetch_at between 0 and 9007199254740991),
  fetched_at bigint check (fetched_at between 0 and 9007199254740991),
  expires_at bigint not null check (expires_at between 0 and 9007199254740991),
  sequence_number bigint check (sequence_number between 0 and 9007199254740991),
  content bytea,
  primary key (credential, url)
);

create index wallet_list_by_next_fetch on wallet_list (next_fetch_at);
create index wallet_list_by_role on wallet_list (role, credential, fetched_at, expires_at);

---------------------------------------------------------------------------------------------------------------------
-- Jobs
---------------------------------------------------------------------------------------------------------------------

-- The holder of a task that only one process may do, and the workers that are alive. Free if the holder is empty.
-- fence: the fencing token, which grows with each change of holder. renewals: grows while the holder is alive. Observers
-- count how often it did not grow, so no clock is compared.
create table lease (
  name text not null primary key,
  holder text not null,
  fence bigint not null check (fence between 0 and 9007199254740991),
  renewals bigint not null check (renewals between 0 and 9007199254740991)
);

-- seen_at: the time that a server stored last. jumped_from, jumped_to: the times before and after the clock jumped ahead by
-- more than a day. Deletion is paused while they are set.
create table clock_seen (
  name text not null primary key check (name = 'main'),
  seen_at bigint not null check (seen_at between 0 and 9007199254740991),
  jumped_from bigint check (jumped_from between 0 and 9007199254740991),
  jumped_to bigint check (jumped_to between 0 and 9007199254740991)
);
