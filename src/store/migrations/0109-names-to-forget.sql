-- The newest event about the person that waited for its number at the erasure, or the erasure itself where that is newer: the
-- clocks of processes differ. Up to it entries lose the name also where a sequencer had them in hand meanwhile.
alter table citizen_erasure add column up_to text;
