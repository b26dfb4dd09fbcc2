import { createHash } from 'node:crypto';
import { type Read, WriteRefused } from '../db/database.ts';
import { countRegister } from '../identity/import/count-register.ts';
import { shippedPolicies } from '../identity/match/policy.ts';
import { parseMatchPolicy } from '../identity/policies/policy-file.ts';
import { addedPolicies, insertPolicy } from '../identity/policies/policy-store.ts';
import { type Clock, formatInstant } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { readArgumentFile } from './argument-file.ts';
import {
  type Command,
  type ExitCode,
  requireNoArguments,
  singleArgument,
  type Terminal,
  UsageError,
} from './command.ts';

/** The dependencies of the policy commands. `operator` is the actor in their ledger events. */
export type PoliciesContext = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly operator: string;
};

/** Opens the app for one command and closes it afterwards. */
export type WithPoliciesContext = <T>(use: (context: PoliciesContext) => Promise<T>) => Promise<T>;

const details = `The file is what calibrate writes, or a JSON object with a name and whatever is to differ from the policy that it is based
on: basis (calibrated-2026-1 unless stated), threshold, bareThreshold, model, minimum, permitted, leastDate, former,
deceasedMatch, nicknames. docs/identity.md has an example. A name is never given twice.

A client gets it with: clients create --policy NAME. All others get it with the setting VERIFY_POLICY=NAME.`;

/** The `policies` commands. */
export function policyCommands(withContext: WithPoliciesContext, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'policies add',
      usage: 'policies add FILE',
      summary: 'Stores a matching policy under its name, for VERIFY_POLICY and clients.',
      details,
      run: async (args) => {
        const document = readArgumentFile(terminal.cwd, singleArgument(args, 'name one file'));
        return await withContext((context) => addPolicy(context, document, terminal));
      },
    },
    {
      name: 'policies list',
      usage: 'policies list',
      summary: 'Lists the built-in matching policies and the added ones.',
      run: async (args) => {
        requireNoArguments(args);
        return await withContext<ExitCode>(async ({ read }) => {
          for (const name of shippedPolicies.keys()) terminal.stdout(`${name}\tships\n`);
          for (const { name, createdAt } of await addedPolicies(read)) {
            terminal.stdout(`${name}\t${formatInstant(createdAt)}\n`);
          }
          return 0;
        });
      },
    },
    {
      name: 'policies show',
      usage: 'policies show NAME',
      summary: 'Prints an added policy as it was added, or a built-in policy in full.',
      run: async (args) => {
        const wanted = singleArgument(args, 'name one policy');
        return await withContext<ExitCode>(async ({ read }) => {
          const added = (await addedPolicies(read)).find(({ name }) => name === wanted);
          const document = added?.document.trim() ?? shippedDocument(wanted);
          if (document === undefined) terminal.stderr('There is no such policy; see: policies list\n');
          else terminal.stdout(`${document}\n`);
          return document === undefined ? 1 : 0;
        });
      },
    },
    {
      name: 'policies count',
      usage: 'policies count',
      summary:
        'Counts how often names and places occur in the register, so that rare ones weigh more. Imports do this too.',
      run: async (args) => {
        requireNoArguments(args);
        return await withContext<ExitCode>(async (context) => {
          const persons = await countRegister(context, { operator: context.operator });
          terminal.stderr(`${persons} persons counted; servers use it within ten minutes.\n`);
          return 0;
        });
      },
    },
  ];
}

function shippedDocument(name: string): string | undefined {
  return JSON.stringify(shippedPolicies.get(name), (_key, value) => (value instanceof Set ? [...value] : value), 2);
}

async function addPolicy(context: PoliciesContext, document: string, { stderr }: Terminal): Promise<ExitCode> {
  const parsed = parseMatchPolicy(document);
  if ('fault' in parsed) throw new UsageError(`the file is not a policy: ${parsed.fault}`);
  const { name } = parsed.policy;
  const now = context.clock.now();
  const digest = createHash('sha256').update(document).digest('hex');
  try {
    await context.commit({
      events: [
        {
          type: 'policy.added',
          id: context.createId('event'),
          at: now,
          actor: { operator: context.operator },
          name,
          digest,
        },
      ],
      statements: [insertPolicy(name, document, now)],
    });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'unique') throw fault;
    stderr(`${name} is there already. It stands in answers, so what is to change gets a new name.\n`);
    return 1;
  }
  stderr(
    `${name} is stored. VERIFY_POLICY=${name} makes it the standing one; clients create --policy ${name} gives it to one.\n`,
  );
  return 0;
}
