-- The entries of the log in their order: entry is the leaf itself, byte for byte, and never changes. chain is the
-- pseudonym of the person (or of the house) whose entries are numbered 1, 2, 3 … in number.
create table ledger_entry (
  leaf_index bigint not null primary key check (leaf_index between 0 and 9007199254740991),
  event_id text not null unique,
  at bigint not null check (at between 0 and 9007199254740991),
  type text not null,
  client_id text,
  chain bytea not null,
  number bigint not null check (number between 1 and 9007199254740991),
  entry bytea not null,
  unique (chain, number)
);

-- The last entry of each chain, and whose it is: the one place that leads from a pseudonym to a person. Erasing the
-- person empties citizen_id; for the chains of the house it is empty from the start.
create table ledger_chain (
  chain bytea not null primary key,
  citizen_id text,
  number bigint not null check (number between 1 and 9007199254740991),
  leaf_hash bytea not null
);

-- The hashes of the tree, 256 a tile; the last tile of a level grows until it is full, and what it was is its beginning.
create table ledger_tile (
  level bigint not null check (level between 0 and 63),
  tile bigint not null check (tile between 0 and 9007199254740991),
  hashes bytea not null,
  primary key (level, tile)
);

-- What the tree is now: moved forward by compare and swap in the unit that stores entries and tiles. fence is the lease
-- of the sequencer that moved it.
create table ledger_head (
  log text not null primary key,
  origin text not null,
  size bigint not null check (size between 0 and 9007199254740991),
  root bytea not null,
  fence bigint not null check (fence between 0 and 9007199254740991)
);

-- The newest checkpoint that was signed, and the newest that a quorum of witnesses cosigned.
create table ledger_checkpoint (
  kind text not null primary key check (kind in ('signed', 'cosigned')),
  size bigint not null check (size between 0 and 9007199254740991),
  root bytea not null,
  note text not null,
  at bigint not null check (at between 0 and 9007199254740991)
);
