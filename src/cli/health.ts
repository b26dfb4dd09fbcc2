import { loopbackHostFor } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { readBytesUpTo } from '../kernel/read-bytes-up-to.ts';
import { type Command, CommandFailed, messageOf, requireNoArguments, type Terminal } from './command.ts';

const timeoutMs = 5_000;
const maxResponseBytes = 65_536;

type AdminAddress = Pick<Settings, 'adminHost' | 'adminPort'>;

/** The command `health`: whether the server with these settings is ready, in any role. For images without a shell. */
export function healthCommand(settings: () => AdminAddress, terminal: Terminal, get: typeof fetch): Command {
  return {
    name: 'health',
    usage: 'health',
    summary: 'Checks whether the server with these settings is ready.',
    notes:
      'It sends one request to /readyz at ADMIN_HOST and ADMIN_PORT, and prints the response. The exit code is 0 if the server is ready, otherwise 1.',
    run: async (args) => {
      requireNoArguments(args);
      const { adminHost, adminPort } = settings();
      if (adminPort === 0)
        throw new CommandFailed(
          'ADMIN_PORT: expected a fixed port, received 0, which means any free port. Set the same fixed port here and for the server.',
        );
      const url = `http://${loopbackHostFor(adminHost)}:${adminPort}/readyz`;
      try {
        const answer = await get(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
        const said = Buffer.from((await readBytesUpTo(answer.body, maxResponseBytes)) ?? '').toString();
        terminal.stdout(`${said}\n`);
        return answer.status === 200 ? 0 : 1;
      } catch (fault) {
        const { cause = fault } = fault as Error;
        throw new CommandFailed(
          `Expected a response from ${url}, received none: ${messageOf(cause)}. Check that the server runs with these settings.`,
        );
      }
    },
  };
}
