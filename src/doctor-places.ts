import { fork } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { type Setting, settingTable } from './config/setting-table.ts';
import { SettingError, type Settings } from './config/settings.ts';
import { patienceMs } from './doctor-reach.ts';
import type { Environment } from './thread-messages.ts';

/** Places by the settings that name them. */
export type Places = ReadonlyMap<string, string>;

const tableRows: readonly (readonly [name: string, setting: Setting])[] = Object.entries(settingTable);

/** The folders of the files that settings are read from. Not the files: a pipe gives what it has to the first that looks. */
export function settingPlaces(environment: Environment): Places {
  const names = ['SETTINGS_FILE', ...tableRows.flatMap(([name, { secret }]) => (secret ? [`${name}_FILE`] : []))];
  const given = names.map((name) => [name, environment[name]?.trim() ?? ''] as const);
  return new Map(given.flatMap(([name, path]) => (path === '' ? [] : [[name, dirname(resolve(path))]])));
}

/** The folders and files that the settings name. */
export function placesIn(settings: Settings): Places {
  const values = new Map<string, unknown>(Object.entries(settings));
  const places = new Map<string, string>();
  for (const [name, { kind }] of tableRows) {
    const place = values.get(name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
    const isPlace = kind === 'path' || kind === 'store';
    if (isPlace && typeof place === 'string' && !place.startsWith('s3://')) places.set(name, place);
  }
  return places;
}

/**
 * Each place that gives no answer, as a network mount does whose server is gone. It is another process that looks: a look
 * that hangs keeps its thread for ever, and a process that has such a thread does not end but by force.
 */
export async function silentOf(places: Places): Promise<readonly SettingError[]> {
  if (places.size === 0) return [];
  const silent = new Set(places.values());
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const path = import.meta.filename.replace(/doctor-places(\.[jt]s)$/, 'doctor-place-process$1');
  // A thread for each: one that hangs keeps no other waiting.
  const env = { UV_THREADPOOL_SIZE: String(silent.size) };
  const child = fork(path, [...silent], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env });
  const timer = setTimeout(end, patienceMs);
  child.on('message', (place) => {
    silent.delete(String(place));
    if (silent.size === 0) end();
  });
  // Of a process that cannot be started nothing is learnt.
  child.on('error', () => silent.clear()).on('exit', end);
  await over;
  clearTimeout(timer);
  child.kill('SIGKILL');
  // Not waited for: within some systems of files not even force ends it.
  child.unref();
  if (child.connected) child.disconnect();
  return [...places].filter(([, place]) => silent.has(place)).map(([name, place]) => fault(name, place));
}

function fault(setting: string, place: string): SettingError {
  const seconds = patienceMs / 1_000;
  return new SettingError(
    setting,
    `no answer from ${place} within ${seconds} s, as from a network mount whose server is gone`,
  );
}
