import { createHash } from 'node:crypto';
import { policies } from '../identity/match/policy.ts';
import { parsePolicy } from '../identity/match/policy-file.ts';
import { addedPolicies, policyCreation } from '../identity/policy-store.ts';
import { countRegister } from '../identity/register-count.ts';
import { type Clock, toInstant } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import { type Read, WriteRefused } from '../store/db.ts';
import { type Command, demandNoArguments, type ExitCode, onlyArgument, type Terminal, UsageError } from './command.ts';
import { readNamed } from './named-file.ts';

/** What the commands about policies need; `operator` is who runs them, as the ledger will say. */
export type PoliciesRoom = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly operator: string;
};

export type OpenPoliciesRoom = <T>(use: (room: PoliciesRoom) => Promise<T>) => Promise<T>;

const details = `The file is what calibrate writes, or a JSON object with a name and whatever is to differ from the policy that it is based
on: basis (calibrated-2026-1 unless stated), threshold, bareThreshold, model, minimum, permitted, leastDate, former,
deceasedMatch, nicknames. docs/identity.md has an example. A name is never given twice.

A client gets it with: clients create --policy NAME. All others get it with the setting VERIFY_POLICY=NAME.`;

/** `policies add`, `policies list`, `policies show`, `policies count`. */
export function policyCommands(openRoom: OpenPoliciesRoom, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'policies add',
      usage: 'policies add FILE',
      summary: 'Stores a matching policy under its name, for VERIFY_POLICY and clients.',
      details,
      run: async (args) => {
        const document = readNamed(terminal.cwd, onlyArgument(args, 'name one file'));
        return await openRoom((room) => addPolicy(room, document, terminal));
      },
    },
    {
      name: 'policies list',
      usage: 'policies list',
      summary: 'Lists the matching policies that ship and those that were added.',
      run: async (args) => {
        demandNoArguments(args);
        return await openRoom<ExitCode>(async ({ read }) => {
          for (const name of policies.keys()) terminal.stdout(`${name}\tships\n`);
          for (const { name, createdAt } of await addedPolicies(read)) {
            terminal.stdout(`${name}\t${toInstant(createdAt)}\n`);
          }
          return 0;
        });
      },
    },
    {
      name: 'policies show',
      usage: 'policies show NAME',
      summary: 'Prints a policy as it was added; of one that ships, all that it decides by.',
      run: async (args) => {
        const wanted = onlyArgument(args, 'name one policy');
        return await openRoom<ExitCode>(async ({ read }) => {
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
        'Counts how often names and places are in the register, so that rare ones weigh more; imports do it too.',
      run: async (args) => {
        demandNoArguments(args);
        return await openRoom<ExitCode>(async (room) => {
          const persons = await countRegister(room, { operator: room.operator });
          terminal.stderr(`${persons} persons counted; servers use it within ten minutes.\n`);
          return 0;
        });
      },
    },
  ];
}

function shippedDocument(name: string): string | undefined {
  return JSON.stringify(policies.get(name), (_key, value) => (value instanceof Set ? [...value] : value), 2);
}

async function addPolicy(room: PoliciesRoom, document: string, { stderr }: Terminal): Promise<ExitCode> {
  const parsed = parsePolicy(document);
  if ('fault' in parsed) throw new UsageError(`the file is not a policy: ${parsed.fault}`);
  const { name } = parsed.policy;
  const now = room.clock.now();
  const digest = createHash('sha256').update(document).digest('hex');
  try {
    await room.commit({
      events: [
        { type: 'policy.added', id: room.mint('event'), at: now, actor: { operator: room.operator }, name, digest },
      ],
      statements: [policyCreation(name, document, now)],
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
