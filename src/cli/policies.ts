import { countRegister } from '../identity/import/count-register.ts';
import { shippedPolicies, standardPolicy3 } from '../identity/match/policy.ts';
import { addMatchPolicy, policyNameOf } from '../identity/policies/add-policy.ts';
import { addedPolicies } from '../identity/policies/policy-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { commitFromShell } from '../staff/commit-from-shell.ts';
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
import type { LoggedContext, WithContext } from './command-context.ts';

const notes = `FILE is a file from "policies calibrate", or a JSON object with a name and all values that differ from the policy that it is based on: basis (default: ${standardPolicy3.name}), threshold, bareThreshold, model, minimum, permitted, leastDate, former, deceasedMatch, nicknames. The page docs/operate/matching-policies.md has an example. You can use each name only once.

For one client, use the policy with "clients create --policy NAME". For all other clients, set VERIFY_POLICY=NAME.`;

/** The `policies` commands that need the database. */
export function policyCommands(withContext: WithContext<LoggedContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'policies add',
      usage: 'policies add FILE',
      summary: 'Stores a matching policy under its name, for VERIFY_POLICY and clients.',
      notes,
      example: 'policies add town.json',
      run: async (args) => {
        const document = await readArgumentFile(terminal.cwd, singleArgument(args, 'one file'));
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
          for (const name of shippedPolicies.keys()) terminal.stdout(`${name}\tbuilt-in\n`);
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
      summary: 'Prints an added policy as it was added, or a built-in policy with all values.',
      example: `policies show ${standardPolicy3.name}`,
      run: async (args) => {
        const wanted = singleArgument(args, 'the name of one policy');
        return await withContext((context) => showPolicy(context, wanted, terminal));
      },
    },
    {
      name: 'policies count',
      usage: 'policies count',
      summary: 'Counts how often names and places occur in the register, so that rare ones have more weight.',
      notes: 'Each import of citizens does this too.',
      run: async (args) => {
        requireNoArguments(args);
        return await withContext<ExitCode>(async (context) => {
          const persons = await countRegister(context, { operator: context.operator });
          terminal.stderr(`Counted ${persons} persons. Servers use the result within ten minutes.\n`);
          return 0;
        });
      },
    },
  ];
}

async function showPolicy({ read }: LoggedContext, wanted: string, terminal: Terminal): Promise<ExitCode> {
  const added = (await addedPolicies(read)).find(({ name }) => name === wanted);
  const document = added?.document.trim() ?? shippedDocument(wanted);
  if (document === undefined)
    throw new CommandFailed(
      `Expected the name of a policy, but there is no policy ${wanted}. Run "citizen-services policies list".`,
    );
  terminal.stdout(`${document}\n`);
  return 0;
}

function shippedDocument(name: string): string | undefined {
  return JSON.stringify(shippedPolicies.get(name), (_key, value) => (value instanceof Set ? [...value] : value), 2);
}

async function addPolicy(context: LoggedContext, text: string, { stderr }: Terminal): Promise<ExitCode> {
  const parsed = policyNameOf(text);
  if ('fault' in parsed) throw new UsageError(`Expected a policy, received another content: ${parsed.fault}.`);
  const { name } = parsed;
  const commit = commitFromShell(context, {
    operation: 'policies add',
    before: { policy: name, exists: false },
    after: { policy: name, exists: true },
  });
  const outcome = await addMatchPolicy({ ...context, commit, actor: { operator: context.operator } }, { name, text });
  if (outcome === 'taken')
    throw new CommandFailed(
      `Expected a new name, but ${name} already exists. Responses contain the name of a policy, so give a changed policy a new name.`,
    );
  stderr(
    `${name} is stored. To make it the default, set VERIFY_POLICY=${name}. For one client, use "citizen-services clients create --policy ${name}".\n`,
  );
  return 0;
}
