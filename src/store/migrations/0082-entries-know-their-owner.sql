-- Whose an entry is stands with the entry, and the end of a chain is its last entry: ledger_chain said both once more, and
-- was rewritten somewhere else for every event. Erasing a person empties citizen_id in the entries of that chain.
alter table ledger_entry add column citizen_id text;
update ledger_entry set citizen_id = (select c.citizen_id from ledger_chain c where c.chain = ledger_entry.chain);
drop table ledger_chain;
