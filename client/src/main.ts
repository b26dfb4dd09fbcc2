#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ClientSettings, createClient, NetworkError, ProblemError, TimeoutError, TokenError } from './client.ts';
import { forwardEvents, listenSecret } from './listen.ts';

// The command line of the client. Exit codes: 0 success, 1 failure, 2 wrong usage.

const help = `citizen-services-client COMMAND

  token                                     Prints an access token.
  listen --forward-to URL [--after NUMBER]  Sends each event of your notifications to URL, like a webhook of the
                                            server, until you press Ctrl+C. It starts with new events, or after the
                                            event with this number. It does not repeat failed calls.
         --dpop                             Binds the access tokens (DPoP), for clients that must bind them.

Read from the environment:
  BASE_URL       PUBLIC_URL of the server, such as http://127.0.0.1:3000
  CLIENT_ID      the id of your client
  CLIENT_SECRET  its secret; or
  CLIENT_KEY     the file with its private key as a JWK
`;

class UsageError extends Error {}

async function run(args: readonly string[]): Promise<void> {
  const { command, values } = parse(args);
  if (values.help === true) {
    process.stdout.write(help);
    return;
  }
  if (command === 'token' && (values['forward-to'] ?? values.after ?? values.dpop) === undefined) {
    process.stdout.write(`${await createClient(settings()).accessToken()}\n`);
  } else if (command === 'listen') {
    await runListen(values);
  } else {
    throw new UsageError(
      command === undefined ? 'name a command: token or listen' : 'expected token or listen --forward-to URL',
    );
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { 'forward-to': text, after: text, dpop: flag, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length > 1) throw new UsageError(`unexpected: ${positionals.slice(1).join(' ')}`);
    return { command: positionals[0], values };
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
  const known = [ProblemError, TokenError, NetworkError, TimeoutError, TypeError].some((one) => fault instanceof one);
  if (!isUsage && !known) throw fault;
  process.stderr.write(`${(fault as Error).message}\n${isUsage ? 'See --help.\n' : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
