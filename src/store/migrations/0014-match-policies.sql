-- Matching policies beside those that ship: the file that `policies add` took. A name is never given twice, for it stands in
-- answers; what is to change gets a new name.
create table match_policy (
  name text not null primary key,
  document text not null,
  created_at bigint not null check (created_at between 0 and 9007199254740991)
);

-- How often the most frequent values of a claim are in the register, as JSON: counted now and then, lost without harm.
create table register_frequency (
  claim text not null primary key,
  persons bigint not null check (persons between 0 and 9007199254740991),
  counted_at bigint not null check (counted_at between 0 and 9007199254740991),
  document text not null
);
