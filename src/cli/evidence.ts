import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EvidenceBroken, parseKeySet, verifyEvidence } from '../notifications/evidence-bundle.ts';
import { type Command, type ExitCode, type Terminal, UsageError } from './command.ts';

const details = `FILE is what GET /v1/notifications/{id}/evidence answered. No server, database or setting is needed.

  --keys FILE   The keys that you trust: /.well-known/jwks.json of the issuer, kept by you.
                Without it the bundle is verified with the key in it, whose id is printed for you to compare.
  --json        Prints what the bundle says as JSON.`;

/** `evidence verify`: exit code 1 where one bit of the file is not as it was signed. */
export function evidenceVerifyCommand(terminal: Terminal): Command {
  return {
    name: 'evidence verify',
    usage: 'evidence verify FILE [--keys FILE] [--json]',
    summary: 'Verifies the evidence of a notification, offline.',
    details,
    run: async (args) => {
      const options = { keys: { type: 'string' }, json: { type: 'boolean' } } as const;
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
      const [file, ...others] = positionals;
      if (file === undefined || others.length > 0) throw new UsageError('name one file');
      const read = (path: string) => readFile(resolve(terminal.cwd, path), 'utf8');
      const trusted = values.keys === undefined ? undefined : parseKeySet(await read(values.keys));
      return report(terminal, await read(file), { trusted, json: values.json === true });
    },
  };
}

function report(
  terminal: Terminal,
  text: string,
  { trusted, json }: { readonly trusted: ReturnType<typeof parseKeySet> | undefined; readonly json: boolean },
): ExitCode {
  try {
    const { claims, kid, keyTrusted } = verifyEvidence(text, trusted);
    if (trusted !== undefined && !keyTrusted) throw new EvidenceBroken('it was not signed by one of the keys given');
    if (json) terminal.stdout(`${JSON.stringify({ verified: true, kid, keyTrusted, claims })}\n`);
    else terminal.stdout(textOf(claims));
    terminal.stderr(
      keyTrusted
        ? `Verified: signed by the trusted key ${kid}.\n`
        : `Whole and signed by the key ${kid}; compare it with the keys of the issuer, or give them with --keys.\n`,
    );
    return 0;
  } catch (fault) {
    if (!(fault instanceof EvidenceBroken)) throw fault;
    if (json) terminal.stdout(`${JSON.stringify({ verified: false, fault: fault.message })}\n`);
    terminal.stderr(`${fault.message}\n`);
    return 1;
  }
}

type Line = { readonly event?: unknown; readonly time?: unknown; readonly channel?: unknown };

function textOf(claims: Readonly<Record<string, unknown>>): string {
  const list = Array.isArray(claims['evidence']) ? (claims['evidence'] as readonly Line[]) : [];
  const lines = list.map(
    ({ event, time, channel = '' }) => `${time}  ${String(event).replace(/^.*\//, '')}  ${channel}`,
  );
  const effect = claims['legalEffect'] === undefined ? [] : [`legal effect: ${JSON.stringify(claims['legalEffect'])}`];
  return `${[...lines.map((line) => line.trimEnd()), ...effect].join('\n')}\n`;
}
