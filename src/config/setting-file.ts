import { readFileSync } from 'node:fs';
import { SettingError } from './settings.ts';

/** Parses the file that a setting names. A failure becomes a `SettingError` that does not contain the content of the file. */
export function parseSettingFile<T>(name: string, path: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (fault) {
    const why =
      fault instanceof TypeError ? fault.message : 'expected a file that can be read and has the documented format';
    throw new SettingError(name, `${JSON.stringify(path)}: ${why}`);
  }
}
