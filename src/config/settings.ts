import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Setting, SettingValue } from './setting.ts';
import { type SettingKey, settingSchemas } from './setting-schemas.ts';

type ParsedSettings = { readonly [K in SettingKey]: SettingValue<(typeof settingSchemas)[K]> };

/** The values of all settings, each of the type in its schema. An optional setting without a value is undefined. */
export type Settings = Omit<ParsedSettings, 'documentStore'> & {
  /** The absolute path of a folder, or an `s3:` URL. */
  readonly documentStore: string;
};

/** A setting that prevents the start. The message never contains the value of a secret. */
export class SettingError extends Error {
  readonly setting: string;
  readonly problem: string;
  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}. See docs/reference/settings.md#${setting.toLowerCase()}`);
    this.name = 'SettingError';
    this.setting = setting;
    this.problem = problem;
  }
}

/** Builds something from a setting. Only the message of a `TypeError` is shown: other errors may contain a password. */
export function buildFromSetting<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (fault) {
    throw new SettingError(name, fault instanceof TypeError ? fault.message : 'expected a URL of its provider');
  }
}

/** Opens what is stored in the folder of a setting. If the folder cannot be created, throws a `SettingError`. */
export async function openFolderOfSetting<T>(name: 'DATA_DIR' | 'DOCUMENT_STORE', open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (fault) {
    if (!(fault instanceof Error && 'syscall' in fault && fault.syscall === 'mkdir')) throw fault;
    throw new SettingError(
      name,
      `expected a folder that the user of this process can create and write to (${fault.message})`,
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;
type OnSettingError = (fault: SettingError) => void;

const schemaEntries: readonly (readonly [string, Setting])[] = Object.entries(settingSchemas);
const settingNames = new Set(schemaEntries.map(([, { name }]) => name));

/**
 * Reads all settings once. The environment takes precedence over `NAME_FILE` (secrets only), then the settings file
 * (`NAME=value` lines), then the default. Throws the first fault. With `onFault` it reports each fault and uses the default
 * for that setting; it still throws if the settings file cannot be read.
 */
export function readSettings(environment: Environment, onFault: OnSettingError = throwFault): Settings {
  const file = readSettingsFile(environment['SETTINGS_FILE'], onFault);
  const values = schemaEntries.map(([key, setting]) => {
    try {
      return [key, parseSetting(setting, findText(setting, environment, file))];
    } catch (fault) {
      if (!(fault instanceof SettingError)) throw fault;
      onFault(fault);
      return [key, parseSetting(setting, undefined)];
    }
  });
  // Each value comes from the type in the schema of its key.
  return deriveDefaults(Object.fromEntries(values) as ParsedSettings);
}

/** Adds the defaults that depend on other settings. */
function deriveDefaults(settings: ParsedSettings): Settings {
  return { ...settings, documentStore: settings.documentStore ?? defaultDocumentStore(settings) };
}

/** The folder of the documents without DOCUMENT_STORE. A message about it must name DATA_DIR, which the operator has set. */
export function defaultDocumentStore({ dataDir }: { readonly dataDir: string }): string {
  return resolve(dataDir, 'documents');
}

/** An environment with the present settings and without files, which may have changed when the API threads read it. */
export function inlineSettingFiles(environment: Environment): Environment {
  const file = readSettingsFile(environment['SETTINGS_FILE'], throwFault);
  return Object.fromEntries(schemaEntries.map(([, setting]) => [setting.name, findText(setting, environment, file)]));
}

function throwFault(fault: SettingError): never {
  throw fault;
}

/** The text of a setting from the environment, its `NAME_FILE` or the settings file; undefined if it is not set. */
function findText({ name, type }: Setting, environment: Environment, file: ReadonlyMap<string, string>) {
  const direct = undefinedIfBlank(environment[name]);
  const secretFile = type.isSecret ? undefinedIfBlank(environment[`${name}_FILE`]) : undefined;
  if (direct !== undefined && secretFile !== undefined) {
    throw new SettingError(name, `expected ${name} or ${name}_FILE, received both; remove one of them`);
  }
  const secret = secretFile === undefined ? undefined : readSecretFile(`${name}_FILE`, secretFile);
  return direct ?? secret ?? undefinedIfBlank(file.get(name));
}

/** The value of this text, or of the default if there is no text. */
function parseSetting(setting: Setting, text = setting.default): unknown {
  if (text === undefined) return undefined;
  const { expected, parse, isSecret } = setting.type;
  const value = parse(text);
  if (value !== undefined) return value;
  const received = isSecret ? 'another value, which is a secret' : JSON.stringify(text);
  throw new SettingError(setting.name, `expected ${expected}, received ${received}`);
}

/** Reads a file that a setting names. It often belongs to another user than the one that runs a command. */
export function readSettingText(name: string, path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder !== false) {
    const why = isFolder === undefined ? 'does not exist' : 'is a folder';
    throw new SettingError(name, `expected the path of a file, received ${JSON.stringify(path)}, which ${why}`);
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? fault.code : fault;
    throw new SettingError(
      name,
      `expected a file that the user of this process can read, received ${JSON.stringify(path)} (${code})`,
    );
  }
}

function undefinedIfBlank(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function readSecretFile(name: string, path: string): string {
  const secret = readSettingText(name, path).trim();
  if (secret === '')
    throw new SettingError(name, `expected a secret in ${JSON.stringify(path)}, received an empty file`);
  return secret;
}

function readSettingsFile(path: string | undefined, onFault: OnSettingError): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  if (path === undefined || path === '') return settings;
  for (const [index, line] of readSettingText('SETTINGS_FILE', path).split('\n').entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)\s*=\s*(.*)$/.exec(text) ?? [];
    if (settingNames.has(name)) settings.set(name, value.replace(/^"(.*)"$/, '$1'));
    else {
      // The line is not repeated: it may be part of a secret.
      const received = name === '' ? 'another form' : 'an unknown name';
      const problem = `line ${index + 1}: expected NAME=value with a name of docs/reference/settings.md, received ${received}`;
      onFault(new SettingError('SETTINGS_FILE', problem));
    }
  }
  return settings;
}
