-- What the provider said of an attempt while our own outcome of it is not stored yet: delivered, or why it failed. Taken
-- away with the unit that stores the outcome.
alter table delivery add column early_word text;
