import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is begun soon after a start. */
type StartDelays = 'soon';

/**
 * The setting of a server that does what it repeats after pauses of these milliseconds again and again, so that a test of the whole
 * program sees it. To be used where no call is limited to just so long.
 */
export function withFastTimers(...pauses: readonly (number | StartDelays)[]): { readonly NODE_OPTIONS: string } {
  return fastTimersOptions(pauses.map((pause) => (pause === 'soon' ? pause : `ms=${pause}`)));
}

/**
 * The setting of a server that does five times as often what it does every so many milliseconds, from one SIGUSR1 to the next, and
 * never what it does every `never` ms.
 */
export function withFastInterval(ms: number, never: number): { readonly NODE_OPTIONS: string } {
  return fastTimersOptions([`every=${ms}`, `never=${never}`]);
}

function fastTimersOptions(parameters: readonly string[]): { readonly NODE_OPTIONS: string } {
  const inheritedOptions = process.env['ANSWERS_DIR'] === undefined ? '' : process.env['NODE_OPTIONS'];
  return {
    NODE_OPTIONS: `${inheritedOptions} --import=${pathToFileURL(join(import.meta.dirname, 'fast-timers-preload.ts'))}?${parameters.join('&')}`,
  };
}
