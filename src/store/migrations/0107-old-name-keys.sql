-- Whether somebody is left whose record an earlier version imported, without the keys by which names are found today, is asked
-- at each start. Nobody else stands in this index, so an import has nothing to write to it.
create index citizen_without_keys on citizen (given_key) where given_key is null and given_name is not null;
