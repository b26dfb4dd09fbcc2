import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The random delays with which repeated work begins after a start. */
type StartDelays = 'soon';

/**
 * The setting of a server whose timeouts of these lengths (ms) take 200 ms, so that a test of the whole program sees repeated work.
 * Do not use it for a length that also limits a call.
 */
export function withFastTimers(...pauses: readonly (number | StartDelays)[]): { readonly NODE_OPTIONS: string } {
  return fastTimersOptions(pauses.map((pause) => (pause === 'soon' ? pause : `ms=${pause}`)));
}

function fastTimersOptions(parameters: readonly string[]): { readonly NODE_OPTIONS: string } {
  const inheritedOptions = process.env['ANSWERS_DIR'] === undefined ? '' : process.env['NODE_OPTIONS'];
  return {
    NODE_OPTIONS: `${inheritedOptions} --import=${pathToFileURL(join(import.meta.dirname, 'fast-timers-preload.ts'))}?${parameters.join('&')}`,
  };
}
