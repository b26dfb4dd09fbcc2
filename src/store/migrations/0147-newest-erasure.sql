-- How far the newest erasure reaches: nearly always before the events that are being numbered, which is asked once for all of
-- them instead of for each.
create index citizen_erasure_reach on citizen_erasure (up_to);
