-- Candidates of one birth date, whatever their names: for policies that decide by probability.
create index citizen_by_birth_date on citizen (birth_date, citizen_id);
