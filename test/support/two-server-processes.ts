import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCommandInProcess } from './run-command.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** A home whose server is known to callers by another address than its own. */
export type ProxiedServerHome = ServerFixture & { readonly publicUrl: string };

const publicUrl = 'https://api.example.gov';
/** Of one thread: with several a process shares with others anyway. */
const settings = { PUBLIC_URL: publicUrl, API_THREADS: '1' };

/** Two processes on one PostgreSQL database, each at a port of its own behind one public address; keys are made. */
export async function makeTwoServerHomes(
  t: CleanupScope,
  extraSettings: Readonly<Record<string, string>> = {},
): Promise<readonly [ProxiedServerHome, ProxiedServerHome]> {
  const own = { ...settings, ...extraSettings };
  const first = await makeServerFixture(t, { engine: 'postgres', settings: own });
  assert.equal((await runCommandInProcess(first, 'keys', 'create')).code, 0);
  const shared = { DATABASE_URL: first.databaseUrl ?? '', ROOT_KEY_FILE: join(first.dataDir, 'root.key') };
  const second = await makeServerFixture(t, { settings: { ...own, ...shared } });
  return [
    { ...first, publicUrl },
    { ...second, publicUrl },
  ];
}

/** Starts both: the first with all roles, the second to answer requests alone. */
export async function startServers(homes: readonly ServerFixture[]): Promise<void> {
  for (const [index, home] of homes.entries()) {
    home.launchCommand('start', '--roles', index === 0 ? 'api,worker,sequencer' : 'api');
    await waitUntil(async () => (await fetch(`${home.url}/readyz`).catch(() => undefined))?.status === 200);
  }
}
