import type { Duplex } from 'node:stream';
import pg from 'pg';
import { splitPostgresUrl } from '../../kernel/postgres-url.ts';
import { DatabaseUnusable, type ReadOptions, type Row } from '../database.ts';
import type { StatementTexts } from '../statement-texts.ts';
import type { PostgresValue } from './merge-lookups.ts';
import { classifyPostgresError, type PostgresFault, postgresErrorMessage } from './postgres-fault.ts';
import { readBackendPid, refuseTransactionPooling } from './refuse-transaction-pooling.ts';

/** The reply to one statement: its rows and command tag, or its fault. */
export type StatementReply = { readonly rows: Row[]; readonly command: string } | { readonly fault: PostgresFault };

/** A statement to send. With `plan: 'custom'` it is not prepared, so that PostgreSQL plans it for its arguments. */
type SentStatement = {
  readonly sql: string;
  readonly args?: readonly PostgresValue[];
  readonly plan?: ReadOptions['plan'] | undefined;
};

/** One connection to PostgreSQL. The statements of one tick are one write to the socket. Each gets its reply, in order. */
export type PostgresConnection = {
  readonly usable: boolean;
  send(statements: readonly SentStatement[]): Promise<StatementReply[]>;
  /** Ends the connection at once. Statements without a reply get the fault `lost`. */
  destroy(): void;
  close(): Promise<void>;
};

/** How to set up a session. */
export type PostgresSession = {
  readonly texts: StatementTexts;
  /** SQL that sets up the session. */
  readonly setup: string;
  /** After this time without all replies to a batch, the connection is destroyed. */
  readonly deadlineMs: number;
};

const connectTimeoutMs = 5_000;
const secondConnectionTimeoutMs = 2_000;
const keepAliveDelayMs = 10_000;
const flushThresholdBytes = 1 << 16;
const transactionStatements = new Set(['begin', 'commit', 'rollback']);
// `parserOf` reads this format. The database may have another default.
const byteaOutputSql = "set bytea_output = 'hex'";
const oids = { boolean: 16, bytea: 17, int8: 20, int4: 23 };

/** Opens a connection. Rejects with the reason where there is none, or where a pooler shares its session with other clients. */
type ConnectPostgres = (session: PostgresSession) => Promise<PostgresConnection>;

/**
 * Creates the function that connects to the database of a URL. If the URL names several hosts, each connection tries them in
 * order, and begins with the one that accepted the last connection. The set-up of a session decides whether a host is accepted:
 * that of a server rejects standbys.
 */
export function createPostgresConnector(databaseUrl: string): ConnectPostgres {
  const urls = splitPostgresUrl(databaseUrl) ?? [databaseUrl];
  let preferred = 0;
  return async (session) => {
    const faults: string[] = [];
    for (let tries = 0; tries < urls.length; tries += 1) {
      const at = (preferred + tries) % urls.length;
      const url = urls[at] ?? databaseUrl;
      try {
        const connection = await connectToHost(url, session);
        preferred = at;
        return connection;
      } catch (error) {
        if (urls.length === 1) throw error;
        faults.push(`host ${at + 1}: ${postgresErrorMessage(error)}`);
      }
    }
    throw new DatabaseUnusable(`no host of DATABASE_URL accepts writes: ${faults.join(', ')}`);
  };
}

async function connectToHost(url: string, options: PostgresSession): Promise<PostgresConnection> {
  const client = createClient(url);
  let usable = true;
  const markLost = () => {
    usable = false;
  };
  client.on('error', markLost);
  await withTimeout(connectTimeoutMs, client, async () => {
    await client.connect();
    await client.query(`${byteaOutputSql}; ${options.setup}`);
    await refuseTransactionPooling(client, () => openSecondConnection(url));
  });
  return createConnection(client, options, { isUsable: () => usable, markLost });
}

function createClient(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    application_name: 'citizen-services',
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    types: { getTypeParser: (oid: number) => parserOf(oid) },
  });
}

/** A short-lived second connection for `refuseTransactionPooling`. */
async function openSecondConnection(url: string): Promise<pg.Client> {
  const client = createClient(url);
  client.on('error', () => undefined);
  await withTimeout(secondConnectionTimeoutMs, client, async () => {
    await client.connect();
    await readBackendPid(client);
  });
  return client;
}

// A pooler accepts the log-in while its server does not answer. Therefore the deadline includes the first queries.
async function withTimeout(timeoutMs: number, client: pg.Client, act: () => Promise<void>): Promise<void> {
  const noAnswer = new DatabaseUnusable(`no connection within ${timeoutMs} ms`);
  const deadline = setTimeout(() => streamOf(client).destroy(noAnswer), timeoutMs);
  try {
    await act();
  } catch (error) {
    streamOf(client).destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

type Health = { isUsable(): boolean; markLost(): void };

function createConnection(client: pg.Client, options: PostgresSession, health: Health): PostgresConnection {
  let corked = false;
  const destroy = () => {
    health.markLost();
    streamOf(client).destroy();
  };

  function send(statements: readonly SentStatement[]): Promise<StatementReply[]> {
    const replies = new Array<StatementReply>(statements.length);
    const { promise, resolve } = Promise.withResolvers<StatementReply[]>();
    let missingReplies = statements.length;
    const deadline = setTimeout(destroy, options.deadlineMs);
    // One write to the socket for all statements of this tick.
    const stream = streamOf(client);
    if (!corked) {
      corked = true;
      stream.cork();
      process.nextTick(() => {
        corked = false;
        stream.uncork();
      });
    }
    for (const [index, statement] of statements.entries()) {
      void client.query(queryOf(statement, options.texts), (error: Error | null, result: pg.QueryResult) => {
        // After a deadline or a lost connection, `pg` may call back a second time.
        if (replies[index] !== undefined) return;
        replies[index] = error
          ? { fault: classifyPostgresError(error) }
          : { rows: result.rows, command: result.command };
        missingReplies -= 1;
        if (missingReplies > 0) return;
        clearTimeout(deadline);
        resolve(replies);
      });
      // The server starts to work on a large unit before all of it is written.
      if (stream.writableLength > flushThresholdBytes) {
        stream.uncork();
        stream.cork();
      }
    }
    return promise;
  }

  return {
    get usable() {
      return health.isUsable();
    },
    send,
    destroy,
    close: async () => {
      health.markLost();
      await client.end();
    },
  };
}

function streamOf(client: pg.Client): Duplex {
  return client.connection.stream;
}

// A statement is prepared once per connection, under a name that is the hash of its text. If a pooler gives the session to
// another process, that name then means the same text, or no statement at all.
function queryOf({ sql, args, plan }: SentStatement, texts: StatementTexts): pg.QueryConfig {
  if (transactionStatements.has(sql)) return { text: sql };
  const values = args === undefined ? [] : [...args];
  return plan === 'custom' ? { text: sql, values } : { name: texts(sql).name, text: sql, values };
}

function parserOf(oid: number): (text: string) => unknown {
  switch (oid) {
    case oids.int8:
    case oids.int4:
      return toNumber;
    case oids.boolean:
      return (text) => text === 't';
    case oids.bytea:
      return toBytes;
    default:
      return (text) => text;
  }
}

function toNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('a row holds an integer above 2^53');
  return number;
}

function toBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), 'hex');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
