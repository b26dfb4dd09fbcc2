import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fetchOnce } from './http-client.ts';
import { runCommandInProcess } from './run-command.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** A server whose public address differs from its own. */
type ProxiedServerHome = ServerFixture & { readonly publicUrl: string };

const publicUrl = 'https://api.example.gov';
/** One thread for each process, so that only the two processes share state. */
const settings = { PUBLIC_URL: publicUrl, API_THREADS: '1' };

/** The fixtures of two processes with one PostgreSQL database, one public address and one port each. Creates the keys. */
export async function makeTwoServerHomes(
  t: CleanupScope,
  extraSettings: Readonly<Record<string, string>> = {},
): Promise<readonly [ProxiedServerHome, ProxiedServerHome]> {
  const common = { ...settings, ...extraSettings };
  const first = await makeServerFixture(t, { engine: 'postgres', settings: common });
  assert.equal((await runCommandInProcess(first, 'keys', 'create')).code, 0);
  const shared = { DATABASE_URL: first.databaseUrl ?? '', ROOT_KEY_FILE: join(first.dataDir, 'root.key') };
  const second = await makeServerFixture(t, { settings: { ...common, ...shared } });
  return [
    { ...first, publicUrl },
    { ...second, publicUrl },
  ];
}

/** Starts both processes: the first with all roles, the second with the role `api` only. */
export async function startServers(homes: readonly ServerFixture[]): Promise<void> {
  for (const [index, home] of homes.entries()) {
    home.launchCommand('start', '--roles', index === 0 ? 'api,worker,sequencer' : 'api');
    await waitUntil(async () => (await fetchOnce(`${home.url}/readyz`).catch(() => undefined))?.status === 200);
  }
}
