import { readFileSync } from 'node:fs';
import { SettingError } from './settings.ts';

/** Parses the file that a setting names. A failure becomes a `SettingError` without the content of the file. */
export function parseSettingFile<T>(name: string, path: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (fault) {
    throw new SettingError(name, `${JSON.stringify(path)}: ${reasonOf(fault)}`);
  }
}

function reasonOf(fault: unknown): string {
  if (fault instanceof TypeError) return fault.message;
  if (fault instanceof Error && 'code' in fault)
    return `expected a file that the user of this process can read, received ${fault.code}`;
  return 'expected a file in the documented format, received another content';
}
