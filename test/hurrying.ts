import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is begun soon after a start. */
type Soon = 'soon';

/**
 * The setting of a server that does what it repeats after pauses of these milliseconds again and again, so that a test of the whole
 * program sees it. To be used where no call is limited to just so long.
 */
export function hurrying(...pauses: readonly (number | Soon)[]): { readonly NODE_OPTIONS: string } {
  return loadingHurry(pauses.map((pause) => (pause === 'soon' ? pause : `ms=${pause}`)));
}

/**
 * The setting of a server that does five times as often what it does every so many milliseconds, from one SIGUSR1 to the next, and
 * never what it does every `never` ms.
 */
export function hurryingEvery(ms: number, never: number): { readonly NODE_OPTIONS: string } {
  return loadingHurry([`every=${ms}`, `never=${never}`]);
}

function loadingHurry(words: readonly string[]): { readonly NODE_OPTIONS: string } {
  const own = process.env['ANSWERS_DIR'] === undefined ? '' : process.env['NODE_OPTIONS'];
  return { NODE_OPTIONS: `${own} --import=${pathToFileURL(join(import.meta.dirname, 'hurry.ts'))}?${words.join('&')}` };
}
