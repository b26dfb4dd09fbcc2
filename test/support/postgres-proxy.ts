import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeTestFolder } from './test-folder.ts';

/** What happens to the next COMMIT that a client sends through the proxy; then all is passed on again. */
export type CutPoint = 'before commit' | 'after commit';

export type PostgresProxy = {
  /** The URL of the database, through the proxy. */
  readonly url: string;
  cutNextCommit(at: CutPoint): void;
  /** Ends all connections, and leads those that come to another database, as an address does that is moved. */
  redirectTo(databaseUrl: string): void;
  /** How many transactions clients have begun. */
  transactionCount(): number;
  /** Ends all connections, and lets those that come log in and get no answer to what they send then, as a pooler whose server stands still. */
  muteNewConnections(muted: boolean): void;
  /** What the server says from now on is said in these words, each as long as its own. */
  replaceServerMessages(words: ReadonlyMap<string, string>): void;
};

// A simple query as pg sends it: 'Q', the length, the text, a zero byte.
const commit = Buffer.from('Q\0\0\0\x0bcommit\0');
const begin = Buffer.from('Q\0\0\0\x0abegin\0');
const simpleQuery = 'Q'.charCodeAt(0);

/**
 * A server between a client and PostgreSQL that loses connections at the worst moments: before the server gets a COMMIT,
 * or after it has committed and before the client hears of it.
 */
export async function startPostgresProxy(t: TestContext, databaseUrl: string): Promise<PostgresProxy> {
  const folder = makeTestFolder('cs-proxy-');
  const target = new URL(databaseUrl.replace('@/', '@localhost/'));
  let connectNow = connectTo(databaseUrl);
  let cut: CutPoint | undefined;
  let begins = 0;
  let mute = false;
  let words: ReadonlyMap<string, string> = new Map();
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connectNow();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    let isClientMuted = false;
    upstream.on('data', (bytes: Buffer) => {
      if (!isClientMuted) client.write(replaceMessages(bytes, words));
      // The tag says that the commit is done; the client never learns it.
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
    replaceServerMessages: (given) => {
      words = given;
    },
    muteNewConnections: (muted) => {
      mute = muted;
      if (muted) for (const socket of sockets) socket.destroy();
    },
  };
}

function replaceMessages(bytes: Buffer, words: ReadonlyMap<string, string>): Buffer {
  let text = bytes.toString('latin1');
  for (const [own, other] of words) text = text.replaceAll(own, other);
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
