import { parseArgs } from 'node:util';
import type { Clock } from '../kernel/clock.ts';
import { type Mint, parseId } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { countCalls, findWebhook, reviveCalls, setStatus } from '../notifications/webhooks/webhook-store.ts';
import type { Read } from '../store/db.ts';
import { type Command, type ExitCode, type Terminal, UsageError } from './command.ts';

/** What the command needs; `operator` is who runs it, as the ledger will say. */
export type WebhooksRoom = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly operator: string;
};

/** `webhooks redeliver`. */
export function webhookCommands(
  openRoom: <T>(use: (room: WebhooksRoom) => Promise<T>) => Promise<T>,
  terminal: Terminal,
): readonly Command[] {
  return [
    {
      name: 'webhooks redeliver',
      usage: 'webhooks redeliver ID',
      summary: 'Makes the calls of a webhook again that were given up; a disabled one becomes active.',
      run: async (args) => {
        const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
        const [text = '', ...others] = positionals;
        const id = parseId('webhook', text);
        if (id === undefined || others.length > 0) throw new UsageError('name one webhook by its id, as whk_…');
        return await openRoom<ExitCode>(async ({ read, commit, clock, mint, operator }) => {
          const webhook = await findWebhook(read, id);
          if (webhook === undefined || webhook.status === 'removed') throw new Error(`There is no webhook ${id}.`);
          const { dead } = await countCalls(read, id);
          const at = clock.now();
          const change = { webhook: id, change: 'redelivery-asked' } as const;
          await commit({
            events: [{ type: 'webhook.changed', id: mint('event'), at, actor: { operator }, ...change }],
            statements: [setStatus(id, 'active'), reviveCalls(id, at)],
          });
          terminal.stderr(`${dead} calls are queued again.\n`);
          return 0;
        });
      },
    },
  ];
}
