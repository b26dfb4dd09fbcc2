import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../test/support/free-port.ts';
import { BenchFailed } from './bench-failed.ts';

/** When Redis syncs its append-only file: before each response, like our server, or each second, as BullMQ advises. */
export type RedisSync = 'always' | 'everysec';

/** A Redis server with an append-only file. */
export type BenchRedis = { readonly pid: number; readonly port: number; stop(): Promise<void> };

/** Starts the installed redis-server in a folder. Undefined if none is installed. */
export async function startRedis(folder: string, sync: RedisSync): Promise<BenchRedis | undefined> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', sync, '--maxmemory-policy', 'noeviction'];
  const child = spawn('redis-server', [...settings, ...durable], { stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (tries === 200 || child.exitCode !== null) throw new BenchFailed('expected redis-server to listen within 5 s');
    await pause(25);
  }
  return {
    pid: child.pid ?? 0,
    port,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      process.off('exit', kill);
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
