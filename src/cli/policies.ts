import { hash } from 'node:crypto';
import { WriteRefused } from '../db/database.ts';
import { countRegister } from '../identity/import/count-register.ts';
import { shippedPolicies, standardPolicy3 } from '../identity/match/policy.ts';
import { parseMatchPolicy } from '../identity/policies/policy-file.ts';
import { addedPolicies, insertPolicy } from '../identity/policies/policy-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { readArgumentFile } from './argument-file.ts';
import {
  type Command,
  CommandFailed,
  type ExitCode,
  requireNoArguments,
  singleArgument,
  type Terminal,
  UsageError,
} from './command.ts';
import { type CommandContext, eventHead, type WithContext } from './command-context.ts';

const details = `The file is what calibrate writes, or a JSON object with a name and whatever is to differ from the policy that it is based
on: basis (${standardPolicy3.name} unless stated), threshold, bareThreshold, model, minimum, permitted, leastDate, former,
deceasedMatch, nicknames. docs/operate/matching-policies.md has an example. A name is never given twice.

A client gets it with: clients create --policy NAME. All others get it with the setting VERIFY_POLICY=NAME.`;

/** The `policies` commands. */
export function policyCommands(withContext: WithContext<CommandContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'policies add',
      usage: 'policies add FILE',
      summary: 'Stores a matching policy under its name, for VERIFY_POLICY and clients.',
      details,
      run: async (args) => {
        const document = await readArgumentFile(terminal.cwd, singleArgument(args, 'name one file'));
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
          if (document === undefined) throw new CommandFailed('There is no such policy; see: policies list');
          terminal.stdout(`${document}\n`);
          return 0;
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

async function addPolicy(context: CommandContext, text: string, { stderr }: Terminal): Promise<ExitCode> {
  const parsed = parseMatchPolicy(text);
  if ('fault' in parsed) throw new UsageError(`the file is not a policy: ${parsed.fault}`);
  const { name } = parsed.policy;
  const document = withBasis(text);
  const head = eventHead(context);
  const digest = hash('sha256', document, 'hex');
  try {
    await context.commit({
      events: [{ type: 'policy.added', ...head, name, digest }],
      statements: [insertPolicy(name, document, head.at)],
    });
  } catch (fault) {
    if (!(fault instanceof WriteRefused) || fault.kind !== 'unique') throw fault;
    throw new CommandFailed(
      `${name} already exists. Responses contain the name of a policy, so a changed policy needs a new name.`,
    );
  }
  stderr(
    `${name} is stored. To make it the default, set VERIFY_POLICY=${name}. For one client, use: clients create --policy ${name}\n`,
  );
  return 0;
}

/** The document with its basis, because a later version may have another default. */
function withBasis(document: string): string {
  // `parseMatchPolicy` has accepted the document.
  const file = JSON.parse(document) as { readonly basis?: string };
  return file.basis === undefined ? JSON.stringify({ ...file, basis: standardPolicy3.name }) : document;
}
