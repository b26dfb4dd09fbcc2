-- Holds that stand are counted for each document, without looking through all of them.
create index document_hold_standing on document_hold (document_id) where released_at is null;

-- What was erased or withdrawn is not scanned again, and is not looked through for what is; neither is what was scanned lately.
drop index document_scanned;
create index document_to_rescan on document (coalesce(scanned_at, 0), id)
  where scan_due_at is null and status in ('available', 'quarantined');
