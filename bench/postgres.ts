import pg from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';

/** PostgreSQL as it is by default, fsync on, in a folder on disk; with databases for whoever wants one. */
export type BenchPostgres = {
  readonly pid: number;
  readonly version: string;
  create(name: string): Promise<string>;
  /** Writes all pages out and makes its used log files ready for use again, as a server that has run for a while has them. */
  checkpoint(): Promise<void>;
  stop(): Promise<void>;
};

const createOptions = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'";

/** Starts it, and makes sure that a commit there is a sync. */
export async function startBenchPostgres(): Promise<BenchPostgres> {
  const server = await startPostgres({ durable: true });
  const [settings] = await query(
    server,
    "select current_setting('fsync') || current_setting('synchronous_commit') as sync, current_setting('server_version') as version",
  );
  if (settings?.['sync'] !== 'onon') throw new Error('the bench needs a PostgreSQL that syncs');
  return {
    pid: server.pid,
    version: String(settings['version']),
    create: async (name) => {
      await query(server, `create database ${name} ${createOptions}`);
      // Known to node's URL as well, which wants a host where a user is.
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
