#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type BatchFlags, batchCommands } from './batch-commands.ts';
import { type ClientSettings, createClient, NetworkError, ProblemError, TimeoutError, TokenError } from './client.ts';
import { forwardEvents, listenSecret } from './listen.ts';
import { runWallet, type WalletFlags } from './wallet-command.ts';
import { SandboxWalletError } from './wallet-faults.ts';

// The command line of the client. Exit codes: 0 success, 1 failure, 2 wrong usage.

const help = `citizen-services-client COMMAND

  token                                     Prints an access token.
  listen --forward-to URL [--after NUMBER]  Sends each event of your notifications to URL, like a webhook of the
                                            server, until you press Ctrl+C. It starts with new events, or after the
                                            event with this number. It does not repeat failed calls.
         --dpop                             Binds the access tokens (DPoP), for clients that must bind them.
  batches send FILE                         Sends the rows of a CSV or JSON Lines file, and writes their outcomes to
                                            FILE.results.csv. The same command continues after an interruption.
         --template ID --category NAME --send-at TIME --name NAME
         --all-or-none                      Sends nothing if one row is refused.
         --dry-run                          Only checks the rows.
         --manual                           Waits for: batches start ID.
         --key KEY                          Sends the same file again, as another batch.
  batches list                              Lists your batches.
  batches show|start|cancel ID
  batches results ID [--state STATE]        Saves the outcomes of the rows.
         --out FILE                         Names the file of the outcomes.
  wallet --request URL --as PERSON          Plays the wallet of a person of the demo, such as demo-mary. URL is the
                                            walletUrl of a presentation. Needs none of the variables below.
         --format sd-jwt|mdoc               Has credentials only in this format.
         --fault NAME                       Sends a presentation that the server refuses. A wrong NAME lists them.
         --decline                          Declines, as the citizen can.

Read from the environment:
  BASE_URL       PUBLIC_URL of the server, such as http://127.0.0.1:3000
  CLIENT_ID      the id of your client
  CLIENT_SECRET  its secret; or
  CLIENT_KEY     the file with its private key as a JWK
`;

class UsageError extends Error {}

async function run(args: readonly string[]): Promise<void> {
  const { command, rest, values } = parse(args);
  if (values.help === true) {
    process.stdout.write(help);
    return;
  }
  if (command === 'token' && (values['forward-to'] ?? values.after ?? values.dpop) === undefined) {
    process.stdout.write(`${await createClient(settings()).accessToken()}\n`);
  } else if (command === 'listen') {
    await runListen(values);
  } else if (command === 'batches') {
    await runBatches(rest, values);
  } else if (command === 'wallet') {
    await answerAsWallet(values);
  } else {
    throw new UsageError(
      command === undefined
        ? 'name a command: token, listen, batches or wallet'
        : 'expected token, listen --forward-to URL, batches, or wallet --request URL --as PERSON',
    );
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const help = { type: 'boolean', short: 'h' } as const;
  const listenOptions = { 'forward-to': text, after: text, dpop: flag };
  const batchOptions = {
    name: text,
    template: text,
    category: text,
    'send-at': text,
    key: text,
    state: text,
    out: text,
  };
  const batchSwitches = { 'all-or-none': flag, 'dry-run': flag, manual: flag };
  const walletOptions = { request: text, as: text, format: text, fault: text, decline: flag };
  const options = { help, ...listenOptions, ...batchOptions, ...batchSwitches, ...walletOptions };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [command, ...rest] = positionals;
    if (command !== 'batches' && rest.length > 0) throw new UsageError(`unexpected: ${rest.join(' ')}`);
    return { command, rest, values };
  } catch (fault) {
    throw new UsageError(fault instanceof Error ? fault.message : 'the arguments cannot be read');
  }
}

async function runListen(values: {
  readonly 'forward-to'?: string;
  readonly after?: string;
  readonly dpop?: boolean;
}): Promise<void> {
  const { 'forward-to': forwardTo = '', after, dpop = false } = values;
  const target = URL.canParse(forwardTo) ? new URL(forwardTo) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new UsageError('--forward-to has to be a URL, such as http://127.0.0.1:8080/hooks');
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw new UsageError('--after has to be the number of an event');
  const clientSettings = settings();
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  await forwardEvents({
    client: createClient({ ...clientSettings, dpop }),
    target,
    secret: listenSecret(clientSettings),
    after,
    signal: stopping.signal,
    print: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
  });
}

async function answerAsWallet(flags: WalletFlags): Promise<void> {
  if (flags.request === undefined || (flags.as === undefined && flags.decline !== true))
    throw new UsageError('expected wallet --request URL with --as PERSON or --decline');
  await runWallet(flags, (text) => process.stdout.write(`${text}\n`));
}

async function runBatches(
  [name = '', subject = '', ...more]: readonly string[],
  flags: BatchFlags & { readonly dpop?: boolean },
) {
  const command = Object.hasOwn(batchCommands, name) ? batchCommands[name] : undefined;
  if (command === undefined || more.length > 0 || (subject === '') !== (name === 'list'))
    throw new UsageError('expected batches send FILE, batches list, or batches show|results|start|cancel ID');
  if (name === 'send' && !existsSync(subject)) throw new UsageError('FILE has to be a file with rows');
  const isTerminal = process.stderr.isTTY === true;
  let last = '';
  const complete = await command(createClient({ ...settings(), dpop: flags.dpop ?? false }), subject, flags, {
    print: (text) => process.stdout.write(`${isTerminal && last !== '' ? '\n' : ''}${text}\n`),
    progress: (text) => {
      if (text !== last) process.stderr.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
      last = text;
    },
  });
  if (!complete) process.exitCode = 1;
}

function settings(): ClientSettings {
  const { BASE_URL: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, CLIENT_KEY: keyFile } = process.env;
  if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new UsageError('BASE_URL has to be the URL of the server');
  if (clientId === undefined) throw new UsageError('CLIENT_ID has to be the id of your client');
  if (clientSecret !== undefined && keyFile === undefined) return { baseUrl, clientId, clientSecret };
  if (clientSecret !== undefined || keyFile === undefined)
    throw new UsageError('set either CLIENT_SECRET or CLIENT_KEY');
  try {
    return { baseUrl, clientId, privateKey: JSON.parse(readFileSync(keyFile, 'utf8')) };
  } catch {
    throw new UsageError('CLIENT_KEY has to name a file with a private key as a JWK');
  }
}

try {
  await run(process.argv.slice(2));
} catch (fault) {
  const isUsage = fault instanceof UsageError;
  const errors = [ProblemError, TokenError, NetworkError, TimeoutError, SandboxWalletError, TypeError];
  const known = errors.some((one) => fault instanceof one);
  if (!isUsage && !known) throw fault;
  process.stderr.write(`${(fault as Error).message}\n${isUsage ? 'See --help.\n' : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
