-- Whoever has both names, or was born on a day with one of them, is found by both on either engine. In SQLite two trees do that:
-- where the dates stood between, it looked through all bearers of a family name for those of a given name.
drop index citizen_by_birth_date;
create index citizen_by_birth on citizen (birth_date, family_key, given_key);
/* sqlite */ drop index citizen_by_name_and_birth;
/* sqlite */ create index citizen_by_names on citizen (family_key, given_key, birth_date);
