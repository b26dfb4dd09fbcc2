import pg from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres-databases.ts';
import { BenchFailed } from './bench-failed.ts';

/** A PostgreSQL server with its default settings, fsync on, in a folder on disk. */
export type BenchPostgres = {
  readonly pid: number;
  readonly version: string;
  /** Creates a database and returns its URL. */
  create(name: string): Promise<string>;
  /** Writes all pages to disk and recycles the log files, as on a server that has run for a while. */
  checkpoint(): Promise<void>;
  stop(): Promise<void>;
};

const createOptions = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'";

/** Starts PostgreSQL. Throws if a commit would not sync to disk. */
export async function startBenchPostgres(): Promise<BenchPostgres> {
  const server = await startPostgres({ durable: true });
  const [settings] = await query(
    server,
    "select current_setting('fsync') || current_setting('synchronous_commit') as sync, current_setting('server_version') as version",
  );
  if (settings?.['sync'] !== 'onon')
    throw new BenchFailed('expected a PostgreSQL server with fsync and synchronous_commit on');
  return {
    pid: server.pid,
    version: String(settings['version']),
    create: async (name) => {
      await query(server, `create database ${name} ${createOptions}`);
      // The URL class of Node.js needs a host if there is a user.
      return server.url.replace('postgres@/postgres', `postgres@localhost/${name}`);
    },
    checkpoint: async () => void (await query(server, 'checkpoint')),
    stop: () => server.stop(),
  };
}

async function query(server: PostgresServer, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
