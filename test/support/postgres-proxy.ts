import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeTestFolder } from './test-folder.ts';

/** When the connection of the next COMMIT is cut. Later connections work again. */
type CutPoint = 'before commit' | 'after commit';

/** A proxy in front of a database that causes faults. */
type PostgresProxy = {
  /** The URL of the database, through the proxy. */
  readonly url: string;
  cutNextCommit(at: CutPoint): void;
  /** Ends all connections, and connects new ones to another database, as a moved address does. */
  redirectTo(databaseUrl: string): void;
  /** The number of transactions that clients have begun. */
  transactionCount(): number;
  /** Ends all connections. New ones can log in, but get no reply to their queries, as with a pooler whose server is stuck. */
  muteNewConnections(muted: boolean): void;
  /** Replaces these texts in the messages of the server from now on. Each replacement has the length of its original. */
  replaceServerMessages(replacements: ReadonlyMap<string, string>): void;
};

// A simple query of `pg`: 'Q', the length, the text, a zero byte.
const commit = Buffer.from('Q\0\0\0\x0bcommit\0');
const begin = Buffer.from('Q\0\0\0\x0abegin\0');
const simpleQuery = 'Q'.charCodeAt(0);

/**
 * Starts a proxy that can cut a connection at the worst moments: before the server receives a COMMIT, or after it has committed
 * and before the client receives the reply.
 */
export async function startPostgresProxy(t: TestContext, databaseUrl: string): Promise<PostgresProxy> {
  const folder = makeTestFolder('cs-proxy-');
  const target = new URL(databaseUrl.replace('@/', '@localhost/'));
  let connectNow = connectTo(databaseUrl);
  let cut: CutPoint | undefined;
  let begins = 0;
  let mute = false;
  let replacements: ReadonlyMap<string, string> = new Map();
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connectNow();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    let isClientMuted = false;
    upstream.on('data', (bytes: Buffer) => {
      if (!isClientMuted) client.write(replaceMessages(bytes, replacements));
      // The command tag proves the commit. The client never receives it.
      else if (bytes.includes('COMMIT\0')) {
        upstream.end();
        client.destroy();
      }
    });
    const muted = mute;
    client.on('data', (bytes: Buffer) => {
      if (muted && bytes[0] === simpleQuery) return;
      begins += countOccurrences(bytes, begin);
      const at = bytes.indexOf(commit);
      if (cut === undefined || at === -1) return void upstream.write(bytes);
      const before = cut === 'before commit';
      cut = undefined;
      if (!before) {
        isClientMuted = true;
        upstream.write(bytes);
        return;
      }
      upstream.write(bytes.subarray(0, at), () => {
        upstream.end();
        client.destroy();
      });
    });
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: `postgres://${target.username}:${target.password}@${target.pathname}?host=${folder}`,
    cutNextCommit: (at) => {
      cut = at;
    },
    redirectTo: (url) => {
      connectNow = connectTo(url);
      for (const socket of sockets) socket.destroy();
    },
    transactionCount: () => begins,
    replaceServerMessages: (texts) => {
      replacements = texts;
    },
    muteNewConnections: (muted) => {
      mute = muted;
      if (muted) for (const socket of sockets) socket.destroy();
    },
  };
}

function replaceMessages(bytes: Buffer, replacements: ReadonlyMap<string, string>): Buffer {
  let text = bytes.toString('latin1');
  for (const [original, replacement] of replacements) text = text.replaceAll(original, replacement);
  return Buffer.from(text, 'latin1');
}

function connectTo(databaseUrl: string): () => Socket {
  const target = new URL(databaseUrl.replace('@/', '@localhost/'));
  const socketFolder = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  return () =>
    socketFolder === null ? connect(port, target.hostname) : connect(join(socketFolder, `.s.PGSQL.${port}`));
}

function countOccurrences(bytes: Buffer, part: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(part); at !== -1; at = bytes.indexOf(part, at + 1)) found += 1;
  return found;
}
