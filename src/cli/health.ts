import { hostFromHere } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { bytesWithin } from '../kernel/bytes-within.ts';
import { type Command, demandNoArguments, type Terminal } from './command.ts';

const patienceMs = 5_000;
const longestAnswer = 65_536;

type Place = Pick<Settings, 'adminHost' | 'adminPort'>;

/** `health`: whether the server of these settings is ready, whatever its role; for images, which may have no shell. */
export function healthCommand(settings: () => Place, terminal: Terminal, get: typeof fetch): Command {
  return {
    name: 'health',
    usage: 'health',
    summary: 'Asks the server that runs with these settings whether it is ready, at ADMIN_PORT; exit code 0 or 1.',
    run: async (args) => {
      demandNoArguments(args);
      const { adminHost, adminPort } = settings();
      if (adminPort === 0) throw new Error('ADMIN_PORT is 0, any free port: set it to one, for the server as well');
      const url = `http://${hostFromHere(adminHost)}:${adminPort}/readyz`;
      try {
        const answer = await get(url, { redirect: 'error', signal: AbortSignal.timeout(patienceMs) });
        const said = Buffer.from((await bytesWithin(answer.body, longestAnswer)) ?? '').toString();
        terminal.stdout(`${said}\n`);
        return answer.status === 200 ? 0 : 1;
      } catch (fault) {
        const { cause = fault } = fault as Error;
        throw new Error(`nobody answers at ${url}: ${cause instanceof Error ? cause.message : String(cause)}`);
      }
    },
  };
}
