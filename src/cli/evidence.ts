import { parseArgs } from 'node:util';
import { formatInstant } from '../kernel/clock.ts';
import {
  EvidenceBroken,
  type EvidenceVerdict,
  parseEvidenceKeySet,
  verifyEvidence,
} from '../notifications/evidence/evidence-bundle.ts';
import { readArgumentFile } from './argument-file.ts';
import { type Command, type ExitCode, messageOf, singlePositional, type Terminal, UsageError } from './command.ts';

const options: Command['options'] = [
  {
    form: '--keys FILE',
    meaning:
      'The keys that you trust: your copy of /.well-known/jwks.json of the issuer. Only its keys for evidence count.',
  },
  {
    form: '--tsa FILE',
    meaning: 'The certificates (PEM) of the time stamp authorities that you trust.',
    defaultValue: 'the certificate in the time stamp, whose name is printed',
  },
  {
    form: '--json',
    meaning: 'Prints the content of the bundle as JSON. trusted is true if a key of --keys signed it.',
  },
];

const notes = `FILE is the response of GET /v1/notifications/{id}/evidence. You need no server, database or settings.

Without --keys, the bundle is verified with the key in it. This proves that the bundle is complete, but not who created it. The thumbprint of that key is printed, so that you can compare it.

Exit codes: 0 if the bundle is unchanged and, with --keys, signed by one of these keys; 1 if not; 2 if a file cannot be read or a key set is invalid.`;

type VerifyEvidenceOptions = {
  readonly keys: ReturnType<typeof parseEvidenceKeySet> | undefined;
  /** The text of a PEM file. */
  readonly tsa: string | undefined;
  readonly json: boolean;
};

/** The command `evidence verify`. Exit code 1 means that a signature is wrong, 2 that nothing could be verified. */
export function evidenceVerifyCommand(terminal: Terminal): Command {
  return {
    name: 'evidence verify',
    usage: 'evidence verify FILE [--keys FILE] [--tsa FILE] [--json]',
    summary: 'Verifies the evidence of a notification offline.',
    options,
    notes,
    example: 'evidence verify evidence.json --keys jwks.json',
    run: async (args) => {
      const flags = { keys: { type: 'string' }, tsa: { type: 'string' }, json: { type: 'boolean' } } as const;
      const { values, positionals } = parseArgs({ args, options: flags, allowPositionals: true });
      const file = singlePositional(positionals, 'one file');
      const read = (path: string) => readArgumentFile(terminal.cwd, path);
      const keys = values.keys === undefined ? undefined : parseTrustedKeys(await read(values.keys));
      const tsa = values.tsa === undefined ? undefined : await read(values.tsa);
      return await printEvidence(terminal, await read(file), { keys, tsa, json: values.json === true });
    },
  };
}

function parseTrustedKeys(text: string): NonNullable<VerifyEvidenceOptions['keys']> {
  try {
    return parseEvidenceKeySet(text);
  } catch (cause) {
    throw new UsageError(`--keys: ${messageOf(cause)}`);
  }
}

async function printEvidence(
  terminal: Terminal,
  text: string,
  { keys, tsa, json }: VerifyEvidenceOptions,
): Promise<ExitCode> {
  try {
    const verdict = verifyEvidence(text, keys);
    const { claims, kid, keyTrusted } = verdict;
    if (keys !== undefined && !keyTrusted)
      throw new EvidenceBroken('expected a signature by one of the keys in --keys, found a signature by another key');
    const stamp = await verifyStamp(verdict, tsa);
    const stamped = stamp === undefined ? {} : { timeStamp: { ...stamp, at: formatInstant(stamp.at) } };
    const verified = { verified: true, trusted: keyTrusted, kid, keyTrusted, ...stamped, claims };
    if (json) terminal.stdout(`${JSON.stringify(verified)}\n`);
    else terminal.stdout(evidenceText(claims));
    terminal.stderr(`${stampText(claims, stamp)}\n`);
    terminal.stderr(keyTrusted ? `Verified: signed by the trusted key ${kid}.\n` : untrustedText(kid));
    return 0;
  } catch (fault) {
    // The error class of time stamps is in a module that is loaded only for bundles with one.
    if (!(fault instanceof EvidenceBroken || (fault instanceof Error && fault.name === 'TimeStampBroken'))) throw fault;
    if (json) terminal.stdout(`${JSON.stringify({ verified: false, fault: fault.message })}\n`);
    terminal.stderr(`${fault.message}\n`);
    return 1;
  }
}

function untrustedText(kid: string): string {
  return [
    'NOT TRUSTED: no key was given for comparison. The bundle is complete and signed by the key in it. Anybody can create such a',
    'bundle with their own key, so it proves nothing until you know that the key belongs to the issuer. The thumbprint is',
    kid,
    'Compare it with the keys of the issuer, or pass these keys with --keys.\n',
  ].join('\n');
}

type VerifiedTimeStamp = { readonly at: number; readonly authority: string; readonly trusted: boolean };

/** The maximum difference between the time of a stamp and the time in the statement. */
const maxSkewMs = 600_000;

async function verifyStamp(
  { stamp, claims }: EvidenceVerdict,
  tsa: string | undefined,
): Promise<VerifiedTimeStamp | undefined> {
  if (stamp === undefined) {
    if (tsa === undefined) return undefined;
    throw new EvidenceBroken('expected a time stamp because of --tsa, found none');
  }
  const { parseCertificates, verifyTimeStamp } = await import('../notifications/evidence/time-stamp.ts');
  let authorities: ReturnType<typeof parseCertificates> = [];
  try {
    if (tsa !== undefined) authorities = parseCertificates(tsa);
  } catch (cause) {
    throw new UsageError(`--tsa: ${messageOf(cause)}`);
  }
  const stamped = await verifyTimeStamp(stamp.token, stamp.over, authorities);
  if (tsa !== undefined && !stamped.trusted)
    throw new EvidenceBroken('expected a time stamp by an authority in --tsa, found one by another authority');
  if (Math.abs(stamped.at - Number(claims['iat']) * 1_000) > maxSkewMs) {
    throw new EvidenceBroken('the time of its time stamp differs from the time in the bundle');
  }
  return stamped;
}

function stampText(claims: EvidenceVerdict['claims'], stamp: VerifiedTimeStamp | undefined): string {
  if (stamp === undefined) {
    const why = claims['timeStamp'] === 'unavailable' ? ': the authority did not respond' : '';
    return `No time stamp${why}.`;
  }
  const hint = stamp.trusted ? '' : ' (not verified: pass its certificates with --tsa)';
  return `Time stamp of ${formatInstant(stamp.at)} by ${withoutControlCharacters(stamp.authority)}${hint}.`;
}

type EvidenceLine = { readonly event?: unknown; readonly time?: unknown; readonly channel?: unknown };

/** The printed members of a bundle. The holder of the message can compare its digest (docs/security/evidence.md#compare-the-message). */
const headMembers = [
  'iss',
  'sender',
  'recipient',
  'notification',
  'content',
  'contentDigest',
  'contentSalt',
  'erasure',
];

function evidenceText(claims: Readonly<Record<string, unknown>>): string {
  const head = headMembers.flatMap((name) => {
    const said = claims[name];
    return said === undefined ? [] : [`${name}: ${typeof said === 'string' ? said : JSON.stringify(said)}`];
  });
  const list = Array.isArray(claims['evidence']) ? (claims['evidence'] as readonly EvidenceLine[]) : [];
  const lines = list.map(
    ({ event, time, channel = '' }) => `${time}  ${String(event).replace(/^.*\//, '')}  ${channel}`,
  );
  const effect = claims['legalEffect'] === undefined ? [] : [`legal effect: ${JSON.stringify(claims['legalEffect'])}`];
  return `${[...head, ...lines.map((line) => line.trimEnd()), ...effect].map(withoutControlCharacters).join('\n')}\n`;
}

/** Anybody can write a bundle: removes control characters, which could overwrite the result on a terminal. */
function withoutControlCharacters(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}
