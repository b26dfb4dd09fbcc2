import { loopbackHostFor } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { type Command, requireNoArguments, type Terminal } from './command.ts';

const timeoutMs = 5_000;
const maxResponseBytes = 65_536;

type AdminAddress = Pick<Settings, 'adminHost' | 'adminPort'>;

/** `health`: whether the server of these settings is ready, whatever its role; for images, which may have no shell. */
export function healthCommand(settings: () => AdminAddress, terminal: Terminal, get: typeof fetch): Command {
  return {
    name: 'health',
    usage: 'health',
    summary: 'Asks the server that runs with these settings whether it is ready, at ADMIN_PORT; exit code 0 or 1.',
    run: async (args) => {
      requireNoArguments(args);
      const { adminHost, adminPort } = settings();
      if (adminPort === 0) throw new Error('ADMIN_PORT is 0, any free port: set it to one, for the server as well');
      const url = `http://${loopbackHostFor(adminHost)}:${adminPort}/readyz`;
      try {
        const answer = await get(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
        const said = Buffer.from((await readBytesUpTo(answer.body, maxResponseBytes)) ?? '').toString();
        terminal.stdout(`${said}\n`);
        return answer.status === 200 ? 0 : 1;
      } catch (fault) {
        const { cause = fault } = fault as Error;
        throw new Error(`nobody answers at ${url}: ${cause instanceof Error ? cause.message : String(cause)}`);
      }
    },
  };
}
