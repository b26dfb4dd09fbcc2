import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runHere } from './run-here.ts';
import { until } from './until.ts';
import { type Afterwards, makeHome, type ServerHome } from './whole-server.ts';

/** A home whose server is known to callers by another address than its own. */
export type ProcessHome = ServerHome & { readonly publicUrl: string };

const publicUrl = 'https://api.example.gov';
/** Of one thread: with several a process shares with others anyway. */
const settings = { PUBLIC_URL: publicUrl, API_THREADS: '1' };

/** Two processes on one PostgreSQL database, each at a port of its own behind one public address; keys are made. */
export async function twoProcesses(
  t: Afterwards,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly [ProcessHome, ProcessHome]> {
  const own = { ...settings, ...more };
  const first = await makeHome(t, { engine: 'postgres', settings: own });
  assert.equal((await runHere(first, 'keys', 'create')).code, 0);
  const shared = { DATABASE_URL: first.databaseUrl ?? '', ROOT_KEY_FILE: join(first.dataDir, 'root.key') };
  const second = await makeHome(t, { settings: { ...own, ...shared } });
  return [
    { ...first, publicUrl },
    { ...second, publicUrl },
  ];
}

/** Starts both: the first with all roles, the second to answer requests alone. */
export async function startAll(homes: readonly ServerHome[]): Promise<void> {
  for (const [index, home] of homes.entries()) {
    home.launch('start', '--roles', index === 0 ? 'api,worker,sequencer' : 'api');
    await until(async () => (await fetch(`${home.url}/readyz`).catch(() => undefined))?.status === 200);
  }
}
