import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import type { Setting } from '../../config/setting.ts';
import { settingSchemas } from '../../config/setting-schemas.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { databaseFile } from '../../db/open-database.ts';
import { blobFolders } from '../../documents/blobs/blob-store.ts';
import { anchorFileName } from '../../ledger/anchor.ts';
import { rootKeyFileName } from '../first-root-key.ts';
import type { Environment } from '../threads/thread-messages.ts';
import { checkTimeoutMs } from './doctor-context.ts';

/** A path and the setting that names it or its folder. */
type NamedPath = readonly [setting: string, path: string];

const settingEntries: readonly (readonly [key: string, setting: Setting])[] = Object.entries(settingSchemas);

/** The folders of the files that settings are read from. Opening such a file itself could consume the content of a pipe. */
export function settingFilePaths(environment: Environment): readonly NamedPath[] {
  const secretFiles = settingEntries.flatMap(([, { name, type }]) => (type.isSecret ? [`${name}_FILE`] : []));
  const names = ['SETTINGS_FILE', ...secretFiles];
  return names.flatMap((name) => {
    const path = environment[name]?.trim() ?? '';
    return path === '' ? [] : [[name, dirname(resolve(path))] as const];
  });
}

/** The folders and files that the settings name. */
export function pathsInSettings(settings: Settings): readonly NamedPath[] {
  const values = new Map<string, unknown>(Object.entries(settings));
  return settingEntries.flatMap(([key, { name, type }]) => {
    const value = values.get(key);
    const isPath = type.isPath && typeof value === 'string' && !value.startsWith('s3://');
    return isPath ? [[name, value] as const] : [];
  });
}

/** The paths in the settings, and what the server opens within DATA_DIR and DOCUMENT_STORE: each can be a mount or a link to one. */
export function pathsToProbe(settings: Settings): readonly NamedPath[] {
  const { dataDir, documentStore } = settings;
  const dataFiles = [databaseFile, `${databaseFile}-wal`, anchorFileName, rootKeyFileName];
  const documentFolders = documentStore.startsWith('s3://') ? [] : Object.values(blobFolders);
  return [
    ...pathsInSettings(settings),
    ...dataFiles.map((name) => ['DATA_DIR', join(dataDir, name)] as const),
    ...documentFolders.map((name) => ['DOCUMENT_STORE', join(documentStore, name)] as const),
  ];
}

/**
 * The first path that does not respond, such as a network mount whose server is down. A shell opens the paths one after the
 * other and counts them. If this process opened one, a dead mount would block one of its threads, and Node.js could not exit:
 * `process.exit` waits for its threads. A path that is missing or not readable responds, with an error.
 */
export async function findUnresponsivePath(paths: readonly NamedPath[]): Promise<SettingError | undefined> {
  const script = 'for path do true < "$path"; echo; done';
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...paths.map(([, path]) => path)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let responses = 0;
  child.stdout.on('data', (lines: Buffer) => {
    responses += lines.length;
  });
  try {
    await once(child, 'close', { signal: AbortSignal.timeout(checkTimeoutMs) });
    return undefined;
  } catch (error) {
    const unresponsive = paths[responses];
    // Without a shell this check cannot tell, and the checks of the path report what they find.
    if (unresponsive === undefined || !(error instanceof Error && error.name === 'AbortError')) return undefined;
    const [setting, path] = unresponsive;
    const seconds = checkTimeoutMs / 1_000;
    return new SettingError(setting, `no answer from ${path} within ${seconds} s, such as from a dead network mount`);
  } finally {
    child.kill('SIGKILL');
    // On some file systems not even SIGKILL ends a blocked process.
    child.stdout.destroy();
    child.unref();
  }
}
