import { readSettingText, SettingError } from './settings.ts';

/** Parses the file that a setting names. A failure becomes a `SettingError` without the content of the file. */
export function parseSettingFile<T>(name: string, path: string, parse: (text: string) => T): T {
  const text = readSettingText(name, path);
  try {
    return parse(text);
  } catch (fault) {
    throw new SettingError(name, `${JSON.stringify(path)}: ${formatFault(fault)}`);
  }
}

/** Only the message of a `TypeError` is shown: other errors may contain a password of the file. */
function formatFault(fault: unknown): string {
  return fault instanceof TypeError ? fault.message : 'expected the documented format, received another content';
}
