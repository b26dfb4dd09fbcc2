import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Row, SqlValue } from '../database.ts';
import type { StatementTexts } from '../statement-texts.ts';
import { readErrorSeverity } from './error-severity.ts';
import { classifyPostgresError, type PostgresFault } from './postgres-fault.ts';
import { readBackendPid, refuseTransactionPooling } from './refuse-transaction-pooling.ts';

/** What one statement gave: its rows and command tag, or its fault. */
export type StatementReply = { readonly rows: Row[]; readonly command: string } | { readonly fault: PostgresFault };

/** One connection to PostgreSQL. Statements sent in one turn travel together; each gets its reply, in order. */
export type PostgresConnection = {
  readonly usable: boolean;
  send(statements: readonly { readonly sql: string; readonly args?: readonly SqlValue[] }[]): Promise<StatementReply[]>;
  /** Ends it at once; what is in flight gets `lost`. */
  destroy(): void;
  close(): Promise<void>;
};

export type PostgresConnectionOptions = {
  readonly url: string;
  readonly texts: StatementTexts;
  /** SQL that sets up the session. */
  readonly setup: string;
  /** A batch without an answer for so long is given up: its connection is lost. */
  readonly deadlineMs: number;
};

const connectTimeoutMs = 5_000;
const secondConnectionTimeoutMs = 2_000;
const keepAliveDelayMs = 10_000;
const flushThresholdBytes = 1 << 16;
const transactionStatements = new Set(['begin', 'commit', 'rollback']);
// As `parserOf` reads it; a database may be set otherwise, for older programs.
const byteaOutputSql = "set bytea_output = 'hex'";
const oids = { boolean: 16, bytea: 17, int8: 20, int4: 23 };

/** Opens a connection; it rejects, with the reason, when there is none to be had for us alone. */
export async function connectPostgres(options: PostgresConnectionOptions): Promise<PostgresConnection> {
  const client = createClient(options.url);
  let usable = true;
  const markLost = () => {
    usable = false;
  };
  // However it ends, if not by us.
  client.on('error', markLost);
  const severity = await withTimeout(connectTimeoutMs, client, async () => {
    await client.connect();
    await client.query(`${byteaOutputSql}; ${options.setup}`);
    await refuseTransactionPooling(client, () => openSecondConnection(options.url));
    return readErrorSeverity(client);
  });
  return createConnection(client, { ...options, severity }, { isUsable: () => usable, markLost });
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

/** A second connection, for a moment. */
async function openSecondConnection(url: string): Promise<pg.Client> {
  const client = createClient(url);
  client.on('error', () => undefined);
  await withTimeout(secondConnectionTimeoutMs, client, async () => {
    await client.connect();
    await readBackendPid(client);
  });
  return client;
}

// A pooler lets us in while the server behind it stands still, or has no room: then it is what comes next that gets no answer.
async function withTimeout<T>(timeoutMs: number, client: pg.Client, act: () => Promise<T>): Promise<T> {
  const noAnswer = new Error(`no connection within ${timeoutMs} ms`);
  const deadline = setTimeout(() => streamOf(client).destroy(noAnswer), timeoutMs);
  try {
    return await act();
  } catch (error) {
    streamOf(client).destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

type Health = { isUsable(): boolean; markLost(): void };

function createConnection(
  client: pg.Client,
  options: PostgresConnectionOptions & { readonly severity: string },
  health: Health,
): PostgresConnection {
  let corked = false;
  const destroy = () => {
    health.markLost();
    streamOf(client).destroy();
  };

  function send(
    statements: readonly { readonly sql: string; readonly args?: readonly SqlValue[] }[],
  ): Promise<StatementReply[]> {
    const replies = new Array<StatementReply>(statements.length);
    const { promise, resolve } = Promise.withResolvers<StatementReply[]>();
    let missingReplies = statements.length;
    const deadline = setTimeout(destroy, options.deadlineMs);
    // One write to the socket for all of them, instead of one for each.
    const stream = streamOf(client);
    if (!corked) {
      corked = true;
      stream.cork();
      process.nextTick(() => {
        corked = false;
        stream.uncork();
      });
    }
    for (const [index, { sql, args }] of statements.entries()) {
      void client.query(queryOf(sql, args, options.texts), (error: Error | null, result: pg.QueryResult) => {
        // A deadline or a lost connection may answer a statement a second time.
        if (replies[index] !== undefined) return;
        replies[index] = error
          ? { fault: classifyPostgresError(error, options.severity) }
          : { rows: result.rows, command: result.command };
        missingReplies -= 1;
        if (missingReplies > 0) return;
        clearTimeout(deadline);
        resolve(replies);
      });
      // The server begins with what it has while the rest of a large unit is still being written.
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

// Statements are prepared once a connection, but for those whose plan depends on their values (db.ts); under the name of their text,
// so that a session which a pooler gave to another process meanwhile refuses the statement, or knows just that one. The first marker is where a claim on PostgreSQL passes over rows that another claim holds; on SQLite, with its one writer, both stay comments.
function queryOf(sql: string, args: readonly SqlValue[] | undefined, texts: StatementTexts): pg.QueryConfig {
  if (transactionStatements.has(sql)) return { text: sql };
  const text = sql.replace('/* skip locked */', 'for update skip locked');
  const values = args === undefined ? [] : [...args];
  return sql.includes('/* planned anew */') ? { text, values } : { name: texts(sql).name, text, values };
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
