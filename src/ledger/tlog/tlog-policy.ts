import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { isSignedBy, type Note, openNote, parseNote } from './note.ts';
import { parseVkey, signatureTypes, type VerifierKey } from './note-key.ts';

type TrustedKey = { readonly key: VerifierKey; readonly url: string | undefined };
/** A trusted witness with its name in the policy. */
export type TrustedWitness = TrustedKey & { readonly name: string };

/** A trust policy (c2sp.org/tlog-policy): the trusted logs and witnesses, and which witnesses must agree. */
export type TlogPolicy = {
  readonly logs: readonly TrustedKey[];
  readonly witnesses: readonly TrustedWitness[];
  readonly isQuorum: (cosigned: ReadonlySet<string>) => boolean;
};

/** A policy file is malformed; the message has the line. */
export class TlogPolicyError extends Error {
  override readonly name = 'TlogPolicyError';

  constructor(line: number, problem: string) {
    super(`witness policy, line ${line}: ${problem}`);
  }
}

type QuorumCheck = (cosigned: ReadonlySet<string>) => boolean;

/** A policy that trusts these logs without witnesses. */
export function policyWithoutWitnesses(vkeys: readonly string[]): TlogPolicy {
  return parseTlogPolicy(`${vkeys.map((vkey) => `log ${vkey}\n`).join('')}quorum none\n`);
}

/** Parses a policy file; throws `TlogPolicyError` with the line of the fault. */
export function parseTlogPolicy(text: string): TlogPolicy {
  const builder: PolicyBuilder = { logs: [], witnesses: [], names: new Map(), taken: new Set(), quorum: undefined };
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    if (items.length === 0 || items[0]?.startsWith('#') === true) continue;
    const fault = readLine(builder, items);
    if (fault !== undefined) throw new TlogPolicyError(at + 1, fault);
  }
  if (builder.quorum === undefined) throw new TlogPolicyError(lines.length, 'a policy has one line `quorum`');
  return { logs: builder.logs, witnesses: builder.witnesses, isQuorum: builder.quorum };
}

type PolicyBuilder = {
  readonly logs: TrustedKey[];
  readonly witnesses: TrustedWitness[];
  readonly names: Map<string, QuorumCheck>;
  /** The names that already belong to a group. */
  readonly taken: Set<string>;
  quorum: QuorumCheck | undefined;
};

function readLine(builder: PolicyBuilder, [keyword, ...items]: readonly string[]): string | undefined {
  switch (keyword) {
    case 'log':
      return readLog(builder, items);
    case 'witness':
      return readWitness(builder, items);
    case 'group':
      return readGroup(builder, items);
    case 'quorum':
      return readQuorum(builder, items);
    default:
      return 'a line begins with log, witness, group or quorum';
  }
}

function readKey(builder: PolicyBuilder, items: readonly string[], isLog: boolean): TrustedKey | string {
  const [vkey = '', url] = items;
  const key = parseVkey(vkey);
  const isCosigner = key !== undefined && key.type !== signatureTypes.ed25519;
  // A log may also sign with ML-DSA, which has one signature type for logs and witnesses. A witness always signs a time.
  if (key === undefined || items.length > 2 || (isLog ? key.type === signatureTypes.cosignature : !isCosigner)) {
    return `expected a ${isLog ? 'log' : 'witness'} key as name+id+key, and at most a URL after it`;
  }
  if (url !== undefined && !URL.canParse(url)) return 'the URL is not valid';
  const known = [...builder.logs, ...builder.witnesses];
  return known.some((one) => one.key.vkey === vkey) ? 'this key is listed twice' : { key, url };
}

function readLog(builder: PolicyBuilder, items: readonly string[]): string | undefined {
  const read = readKey(builder, items, true);
  if (typeof read === 'string') return read;
  builder.logs.push(read);
  return undefined;
}

function readWitness(builder: PolicyBuilder, [name = '', ...items]: readonly string[]): string | undefined {
  if (name === '' || name === 'none' || builder.names.has(name)) return 'the name is missing, taken, or `none`';
  const read = readKey(builder, items, false);
  if (typeof read === 'string') return read;
  builder.witnesses.push({ name, ...read });
  builder.names.set(name, (cosigned) => cosigned.has(name));
  return undefined;
}

function readGroup(builder: PolicyBuilder, [name = '', rule = '', ...members]: readonly string[]): string | undefined {
  if (name === '' || name === 'none' || builder.names.has(name)) return 'the name is missing, taken, or `none`';
  const needed = rule === 'all' ? members.length : rule === 'any' ? 1 : /^[1-9]\d{0,3}$/.test(rule) ? Number(rule) : 0;
  if (needed < 1 || needed > members.length) return 'a group needs all, any or a number of its members, and members';
  const memberChecks: QuorumCheck[] = [];
  for (const member of members) {
    const one = builder.names.get(member);
    if (one === undefined || builder.taken.has(member)) return `${member} is unknown so far, or in a group already`;
    builder.taken.add(member);
    memberChecks.push(one);
  }
  builder.names.set(name, (cosigned) => memberChecks.filter((one) => one(cosigned)).length >= needed);
  return undefined;
}

function readQuorum(builder: PolicyBuilder, [name = '', ...more]: readonly string[]): string | undefined {
  const quorumCheck = name === 'none' ? () => true : builder.names.get(name);
  if (builder.quorum !== undefined || quorumCheck === undefined || more.length > 0) {
    return 'expected one line `quorum` with a name from a line before, or none';
  }
  builder.quorum = quorumCheck;
  return undefined;
}

/** A checkpoint that a policy accepts, with the names of the witnesses that cosigned it, or why the policy rejects it. */
export type CheckpointVerdict =
  | { readonly checkpoint: Checkpoint; readonly witnesses: readonly string[] }
  | { readonly fault: string };

/** Verifies a checkpoint by a policy: signed by a trusted log of its origin, and cosigned by a quorum. */
export function verifyCheckpointNote(policy: TlogPolicy, text: Note | string): CheckpointVerdict {
  const note = typeof text === 'string' ? parseNote(text) : text;
  if (note === undefined) return { fault: 'the checkpoint is not a signed note' };
  const opened = openNote(
    note,
    [...policy.logs, ...policy.witnesses].map(({ key }) => key),
  );
  if (opened === undefined) return { fault: 'no trusted key signed the checkpoint, or a signature of one is bad' };
  const checkpoint = parseCheckpoint(opened.text);
  if (checkpoint === undefined) return { fault: 'the signed text is not a checkpoint' };
  const signed = (key: VerifierKey) => opened.verified.some((line) => isSignedBy(line, key));
  const log = policy.logs.find(({ key }) => key.name === checkpoint.origin && signed(key));
  if (log === undefined) return { fault: 'no trusted log of this origin signed the checkpoint' };
  const witnesses = policy.witnesses.filter(({ key }) => signed(key)).map(({ name }) => name);
  if (!policy.isQuorum(new Set(witnesses))) return { fault: 'too few witnesses cosigned the checkpoint' };
  return { checkpoint, witnesses };
}
