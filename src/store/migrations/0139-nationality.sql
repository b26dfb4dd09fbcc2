-- A claim of the mandatory set of person identification data (EU 2024/2977, Annex, section 1).
alter table citizen add column nationality text;
