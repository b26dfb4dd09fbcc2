-- One street and number is there in many towns: they are not looked through for those few who share the postal code.
drop index citizen_by_street;
create index citizen_by_street on citizen (street_key, postal_code);
