import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Setting } from '../../config/setting.ts';
import { settingSchemas } from '../../config/setting-schemas.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { databaseFile } from '../../db/open-database.ts';
import { blobFolders } from '../../documents/blobs/blob-store.ts';
import { anchorFileName } from '../../ledger/anchor.ts';
import { rootKeyFileName } from '../first-root-key.ts';
import type { Environment } from '../threads/thread-messages.ts';
import { checkTimeoutMs } from './check-reachable.ts';

/** Places, each with the setting that names it, or what it lies in. */
export type NamedPaths = Iterable<readonly [setting: string, place: string]>;

/** A place that gives no answer: who looks at it hangs. */
export type UnresponsivePath = { readonly place: string; readonly fault: SettingError };

const settingEntries: readonly (readonly [key: string, setting: Setting])[] = Object.entries(settingSchemas);

/** The folders of the files that settings are read from. Not the files: a pipe gives what it has to the first that looks. */
export function settingFilePaths(environment: Environment): ReadonlyMap<string, string> {
  const names = [
    'SETTINGS_FILE',
    ...settingEntries.flatMap(([, { name, type }]) => (type.isSecret ? [`${name}_FILE`] : [])),
  ];
  const given = names.map((name) => [name, environment[name]?.trim() ?? ''] as const);
  return new Map(given.flatMap(([name, path]) => (path === '' ? [] : [[name, dirname(resolve(path))]])));
}

/** The folders and files that the settings name. */
export function pathsInSettings(settings: Settings): ReadonlyMap<string, string> {
  const values = new Map<string, unknown>(Object.entries(settings));
  const places = new Map<string, string>();
  for (const [key, { name, type }] of settingEntries) {
    const place = values.get(key);
    if (type.isPath && typeof place === 'string' && !place.startsWith('s3://')) places.set(name, place);
  }
  return places;
}

/**
 * What lies in those places and is looked at as well: all of `DATA_DIR` that has no setting of its own, and the folders of
 * documents. A link there, or a mount, leads elsewhere. Only of places that answer.
 */
export function pathsWithinSettings(settings: Settings, unresponsive: readonly UnresponsivePath[]): NamedPaths {
  const places = pathsInSettings(settings);
  const named = new Set(places.values());
  const answers = (setting: string) =>
    places.has(setting) && unresponsive.every(({ fault }) => fault.setting !== setting);
  const { dataDir, documentStore } = settings;
  const data = answers('DATA_DIR') ? namesIn(dataDir).map((name) => join(dataDir, name)) : [];
  const documents = answers('DOCUMENT_STORE')
    ? Object.values(blobFolders).map((name) => join(documentStore, name))
    : [];
  return [
    ...data.filter((place) => !named.has(place)).map((place) => ['DATA_DIR', place] as const),
    ...documents.map((place) => ['DOCUMENT_STORE', place] as const),
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The check of the folder says why.
    return [];
  }
}

/** A machine that others keep busy takes seconds to start a process; only from then on places are waited for. */
const startTimeoutMs = 30_000;

const knownFiles = [databaseFile, anchorFileName, rootKeyFileName];

/** Whether something else lies in `DATA_DIR`, which neither a server nor a check reads. */
export function isUnusedPath({ place, fault }: UnresponsivePath, { dataDir }: Settings): boolean {
  const isWithin = fault.setting === 'DATA_DIR' && place !== dataDir;
  return isWithin && !knownFiles.some((name) => basename(place).startsWith(name));
}

/**
 * Each place that gives no answer, as a network mount does whose server is gone. It is another process that looks: a look
 * that hangs keeps its thread for ever, and a process that has such a thread does not end but by force.
 */
export async function findUnresponsivePaths(places: NamedPaths): Promise<readonly UnresponsivePath[]> {
  const probed = [...places];
  if (probed.length === 0) return [];
  const unresponsive = new Set(probed.map(([, place]) => place));
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const path = import.meta.filename.replace(/probe-places(\.[jt]s)$/, 'probe-place-process$1');
  // A thread for each: one that hangs keeps no other waiting.
  const env = { UV_THREADPOOL_SIZE: String(unresponsive.size) };
  const child = fork(path, [...unresponsive], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env });
  let timer = setTimeout(end, startTimeoutMs);
  child.on('message', (message) => {
    if (message === true) {
      clearTimeout(timer);
      timer = setTimeout(end, checkTimeoutMs);
      return;
    }
    unresponsive.delete(String(message));
    if (unresponsive.size === 0) end();
  });
  // Of a process that cannot be started nothing is learnt. 'close' and not 'exit': by then all that it told has been read.
  child.on('error', () => unresponsive.clear()).on('close', end);
  await over;
  clearTimeout(timer);
  child.kill('SIGKILL');
  // Not waited for: within some systems of files not even force ends it.
  child.unref();
  if (child.connected) child.disconnect();
  return probed
    .filter(([, place]) => unresponsive.has(place))
    .map(([name, place]) => ({ place, fault: noAnswerError(name, place) }));
}

function noAnswerError(setting: string, place: string): SettingError {
  const seconds = checkTimeoutMs / 1_000;
  return new SettingError(
    setting,
    `no answer from ${place} within ${seconds} s, as from a network mount whose server is gone`,
  );
}
