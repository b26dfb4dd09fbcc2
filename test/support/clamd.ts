import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { makeTestFolder } from './test-folder.ts';

/** The EICAR test file, assembled here so that no scanner reports this source file. */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4', 'PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*']
    .join('\\')
    .replace('EICAR\\', 'EICAR'),
);

/** Whether a real clamd is installed; without one a test must be skipped with a visible reason. */
export const isClamdInstalled: boolean = ['/usr/sbin/clamd', '/usr/local/sbin/clamd'].some(existsSync);

/** Starts a real clamd on its own socket, with EICAR as its only signature; it stops after the test. */
export async function startClamd(t: TestContext, settings: readonly string[]): Promise<string> {
  const folder = makeTestFolder('clamd-');
  const [database, socket] = [join(folder, 'db'), join(folder, 'clamd.sock')];
  await mkdir(database);
  const md5 = createHash('md5').update(eicar).digest('hex');
  await writeFile(join(database, 'local.hdb'), `${md5}:${eicar.length}:Eicar-Test-Signature\n`);
  const user = execFileSync('id', ['-un']).toString().trim();
  const lines = [
    `LocalSocket ${socket}`,
    `DatabaseDirectory ${database}`,
    `TemporaryDirectory ${folder}`,
    'Foreground yes',
    `User ${user}`,
    ...settings,
  ];
  await writeFile(join(folder, 'clamd.conf'), `${lines.join('\n')}\n`);
  const program = ['/usr/sbin/clamd', '/usr/local/sbin/clamd'].find(existsSync) ?? 'clamd';
  const child = spawn(program, ['-c', join(folder, 'clamd.conf')], { stdio: 'ignore' });
  t.after(async () => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });
  for (let tries = 0; tries < 300 && !existsSync(socket) && child.exitCode === null; tries += 1) await pause(50);
  if (!existsSync(socket)) throw new Error('clamd did not start');
  return socket;
}

/** A fake clamd: receives a command and the whole stream, and returns the reply, or undefined. */
export type ClamdResponder = (command: string, stream: Buffer) => string | undefined;

/** A server on its own socket that answers with `responder`; undefined closes the connection without an answer. */
export async function startFakeClamd(t: { after(end: () => unknown): void }, respond: ClamdResponder): Promise<string> {
  const folder = makeTestFolder('clamd-');
  const path = join(folder, 'clamd.sock');
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      const parsed = parseClamdCommand(received);
      if (parsed === undefined) return;
      const reply = respond(parsed.command, parsed.stream);
      if (reply === undefined) socket.destroy();
      else socket.end(reply);
    });
  });
  server.listen(path);
  await once(server, 'listening');
  t.after(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return path;
}

function parseClamdCommand(received: Buffer): { command: string; stream: Buffer } | undefined {
  const end = received.indexOf(0);
  if (end < 0) return undefined;
  const command = received.subarray(0, end).toString();
  if (command !== 'zINSTREAM') return { command, stream: Buffer.alloc(0) };
  const parts: Buffer[] = [];
  for (let at = end + 1; at + 4 <= received.length; ) {
    const length = received.readUInt32BE(at);
    if (length === 0) return { command, stream: Buffer.concat(parts) };
    parts.push(received.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}
