import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from './command.ts';
import { commandHelp, commandList } from './command-help.ts';

const bind: Command = {
  name: 'clients bind',
  usage: 'clients bind ID [--binding dpop | --binding mtls | --binding none] [--json]',
  summary: 'Sets how the tokens of a client must be bound.',
  options: [
    { form: '--binding KIND', meaning: 'The binding of all new tokens of this client.', defaultValue: 'none' },
    { form: '--json', meaning: 'Prints JSON.' },
  ],
  notes:
    'A token without the binding is refused within a minute.\n\n  dpop  DPoP proofs of RFC 9449, which is a long line.',
  example: 'clients bind tax-1 --json',
  run: async () => 0,
};
const health: Command = { name: 'health', usage: 'health', summary: 'Checks the server.', run: async () => 0 };

test('the list of commands has headings, and breaks summaries between words at the width of the terminal', () => {
  assert.equal(
    commandList([bind, health], 48),
    `Usage: citizen-services COMMAND

Server
  health        Checks the server.

Clients
  clients bind  Sets how the tokens of a client
                must be bound.

Run "citizen-services COMMAND --help" for the
options of a command. Settings are environment
variables: docs/reference/settings.md.
`,
  );
});

test('the help of a command has a line for each option, and keeps an argument in brackets and a table whole', () => {
  assert.equal(
    commandHelp(bind, 48),
    `Usage: citizen-services clients bind ID
  [--binding dpop | --binding mtls | --binding none]
  [--json]

Sets how the tokens of a client must be bound.

Options
  --binding KIND  The binding of all new tokens
                  of this client. Default: none.
  --json          Prints JSON.

A token without the binding is refused within a
minute.

  dpop  DPoP proofs of RFC 9449, which is a long line.

Example
  citizen-services clients bind tax-1 --json
`,
  );
});

test('without a terminal, lines have at most 80 characters', () => {
  const summary = 'word '.repeat(40).trim();
  const lengths = commandList([{ ...health, summary }])
    .split('\n')
    .map(({ length }) => length);
  assert.equal(Math.max(...lengths), 80);
});
