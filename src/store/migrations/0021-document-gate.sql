-- What the content gate knows of a document: when it is to be scanned (again), how often that was tried in vain, and what
-- the last scan said. 'not-scanned' is a document that the operator lets out without a scanner.
alter table document add column scan_due_at bigint check (scan_due_at between 0 and 9007199254740991);
alter table document add column scan_attempts bigint not null default 0 check (scan_attempts between 0 and 9007199254740991);
alter table document add column scanned_at bigint check (scanned_at between 0 and 9007199254740991);
alter table document add column scan_verdict text check (scan_verdict in ('clean', 'infected', 'unscannable', 'not-scanned'));
alter table document add column scan_engine text;
alter table document add column scan_finding text;
create index document_scan_due on document (scan_due_at, id) where scan_due_at is not null;
create index document_scanned on document (scanned_at, id) where scan_due_at is null;
