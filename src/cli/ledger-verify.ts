import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isPaddedEntry } from '../ledger/event-content.ts';
import { type FetchUrl, folderLogSource, httpLogSource } from '../ledger/log-source.ts';
import { openEntryContent, parseReceiptExtra } from '../ledger/receipt-extra.ts';
import { leafHash } from '../ledger/tlog/merkle.ts';
import {
  parseTlogPolicy,
  policyWithoutWitnesses,
  type TlogPolicy,
  TlogPolicyError,
} from '../ledger/tlog/tlog-policy.ts';
import { parseProof, verifyProof } from '../ledger/tlog/tlog-proof.ts';
import { verifyLog } from '../ledger/verify-log.ts';
import { readArgumentFile } from './argument-file.ts';
import { type Command, type ExitCode, jsonOption, singlePositional, type Terminal, UsageError } from './command.ts';
import { clearLineText, entriesProgress } from './progress.ts';

const options = {
  key: { type: 'string', multiple: true },
  policy: { type: 'string' },
  since: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

const optionTexts: Command['options'] = [
  {
    form: '--key VKEY',
    meaning: 'The public key of the ledger, as "ledger key" prints it. You can repeat the option.',
  },
  { form: '--policy FILE', meaning: 'Instead of --key: logs and witnesses with their quorum (c2sp.org/tlog-policy).' },
  {
    form: '--since FILE',
    meaning: 'A checkpoint that you kept: the ledger must begin with its tree. You can repeat the option.',
  },
  jsonOption,
];

const notes = `PLACE is a folder that "ledger export" wrote, the URL of a ledger (https://HOST/ledger), or a receipt (.tlog-proof). The command trusts only the keys that you pass. It only reads files from a server. If your own authority issued the certificate of that server, put NODE_EXTRA_CA_CERTS=/path/ca.pem before the command.

Exit codes: 0 if the ledger or receipt verifies; 1 if not, with the first fault, or if the ledger cannot be fetched; 2 if a file cannot be read, or a key or policy is invalid.`;

/** The command `ledger verify`, which needs no database and no settings. */
export function ledgerVerifyCommand(terminal: Terminal, httpFetch: FetchUrl): Command {
  return {
    name: 'ledger verify',
    usage: 'ledger verify PLACE (--key VKEY | --policy FILE) [--since FILE] [--json]',
    summary: 'Verifies a whole ledger or one receipt offline, with only the public key.',
    options: optionTexts,
    notes,
    example: 'ledger verify https://api.example.gov/ledger --key VKEY',
    run: async (args) => {
      const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
      const place = singlePositional(positionals, 'one folder, URL or receipt');
      const read = (name: string) => readArgumentFile(terminal.cwd, name);
      const policyText = values.policy === undefined ? undefined : await read(values.policy);
      const policy = parseTrustPolicy(values.key, policyText);
      const earlier: string[] = [];
      for (const name of values.since ?? []) earlier.push(await read(name));
      const verdict = isReceipt(terminal.cwd, place)
        ? verifyReceipt(await read(place), policy)
        : await verifyWholeLog({ place, policy, earlier, httpFetch }, terminal);
      return printVerdict(terminal, verdict, values.json === true);
    },
  };
}

/** Any regular file is a receipt; a log is a folder or a URL. */
function isReceipt(cwd: string, place: string): boolean {
  return place.endsWith('.tlog-proof') || (statSync(resolve(cwd, place), { throwIfNoEntry: false })?.isFile() ?? false);
}

function parseTrustPolicy(keys: readonly string[] | undefined, policy: string | undefined): TlogPolicy {
  if ((keys === undefined) === (policy === undefined)) {
    throw new UsageError(`Expected --key or --policy, received ${keys === undefined ? 'neither' : 'both'}.`);
  }
  try {
    return policy === undefined ? policyWithoutWitnesses(keys ?? []) : parseTlogPolicy(policy);
  } catch (fault) {
    if (!(fault instanceof TlogPolicyError)) throw fault;
    const wrongKey = '--key: expected a public key as "ledger key" prints it (name+id+key), received another text.';
    throw new UsageError(policy === undefined ? wrongKey : `--policy: ${fault.message}`);
  }
}

/** The members that the command prints. */
type PrintedVerdict = Readonly<Record<string, unknown>> & { readonly verified: boolean };

/** The log signed an entry that this program never writes: the server was changed, or another program uses its key. */
const malformedEntry = 'does not have the format and one of the lengths of this ledger';

const notVerified = (fault: string): PrintedVerdict => ({ verified: false, fault });

type LogVerifyOptions = {
  readonly place: string;
  readonly policy: TlogPolicy;
  /** The notes of the checkpoints in `--since`. */
  readonly earlier: readonly string[];
  readonly httpFetch: FetchUrl;
};

async function verifyWholeLog(
  { place, policy, earlier, httpFetch }: LogVerifyOptions,
  terminal: Terminal,
): Promise<PrintedVerdict> {
  const isUrl = /^https?:\/\//.test(place);
  // Throws if the folder cannot be read.
  if (!isUrl) await readArgumentFile(terminal.cwd, join(place, 'checkpoint'));
  const source = isUrl ? httpLogSource(place, httpFetch) : folderLogSource(resolve(terminal.cwd, place));
  let malformed: number | undefined;
  const onEntry = (entry: Uint8Array, index: number) => {
    if (!isPaddedEntry(entry)) malformed ??= index;
  };
  const verdict = await verifyLog(source, { policy, earlier, onEntry, onProgress: entriesProgress(terminal) });
  terminal.stderr(clearLineText(terminal));
  if ('fault' in verdict) return notVerified(verdict.fault);
  if (malformed !== undefined) return notVerified(`entry ${malformed} ${malformedEntry}`);
  const { origin, size, root } = verdict.checkpoint;
  const rootHash = Buffer.from(root).toString('base64');
  return { verified: true, origin, size, rootHash, witnesses: verdict.witnesses };
}

function verifyReceipt(text: string, policy: TlogPolicy): PrintedVerdict {
  const proof = parseProof(text);
  const opening = proof?.extra === undefined ? undefined : parseReceiptExtra(proof.extra);
  if (proof === undefined || opening === undefined)
    return notVerified(
      'expected a receipt, which begins with c2sp.org/tlog-proof@v1, received another file. GET /v1/receipts/ID/proof returns a receipt',
    );
  const verdict = verifyProof(proof, leafHash(opening.entry), policy);
  if ('fault' in verdict) return notVerified(verdict.fault);
  const { origin, size } = verdict.checkpoint;
  if (!isPaddedEntry(opening.entry)) return notVerified(`the entry in the receipt ${malformedEntry}`);
  const content = openEntryContent(opening) ?? null;
  if (content === null && opening.contentKey !== undefined)
    return notVerified(
      'the key in the receipt does not decrypt the entry, or the content is not canonical JSON with its padding',
    );
  return { verified: true, origin, size, leafIndex: proof.index, content };
}

function printVerdict({ stdout, stderr }: Terminal, verdict: PrintedVerdict, json: boolean): ExitCode {
  if (json) stdout(`${JSON.stringify(verdict)}\n`);
  else if (!verdict.verified) stderr(`NOT verified: ${verdict['fault']}.\n`);
  else {
    for (const [name, value] of Object.entries(verdict)) {
      stdout(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
    }
  }
  return verdict.verified ? 0 : 1;
}
