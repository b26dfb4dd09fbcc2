import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The setting of a server whose clock differs from that of the machine by these milliseconds. */
export function withShiftedClock(ms: number): { readonly NODE_OPTIONS: string } {
  const inheritedOptions = process.env['ANSWERS_DIR'] === undefined ? '' : process.env['NODE_OPTIONS'];
  const preload = pathToFileURL(join(import.meta.dirname, 'shifted-clock-preload.ts'));
  return { NODE_OPTIONS: `${inheritedOptions} --import=${preload}?ms=${ms}` };
}
