import { createHash, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { es256, isSelected, issuerOf, newHolder, type PidPresentation, statusOf, validityOf } from './sandbox-pid.ts';

/**
 * Issues a PID as SD-JWT VC (RFC 9901) in which each value can be disclosed alone, and presents it with the proof of the holder. Objects
 * and arrays are disclosed recursively.
 */
export function presentSdJwtPid(pid: PidPresentation): string {
  const disclosures: string[] = [];
  const { fault } = pid;
  const holder = newHolder(pid);
  const { from, until } = validityOf(pid);
  const status = statusOf(pid);
  const issuer = issuerOf(pid);
  const payload = {
    ...(conceal(pid.attributes, [], { pid, disclosures }) as object),
    _sd_alg: 'sha-256',
    vct: fault === 'wrong-type' ? `${pid.type}:other` : pid.type,
    iat: from,
    exp: until,
    cnf: { jwk: holder.jwk },
    ...(status === undefined ? {} : { status: { status_list: status } }),
  };
  const key = createPrivateKey({ key: issuer.privateKey, format: 'jwk' });
  const issued = signJwt({ typ: 'dc+sd-jwt', x5c: issuer.chain }, payload, key);
  const [first = '', ...others] = disclosures;
  const shown = fault === 'changed-attribute' ? [changedDisclosure(first), ...others] : disclosures;
  const presented = `${[issued, ...shown].join('~')}~`;
  return fault === 'no-proof' ? presented : presented + signProof(pid, presented, holder.key);
}

/** The proof of the holder (RFC 9901, section 4.3). */
function signProof({ clientId, nonce, now, fault }: PidPresentation, presented: string, key: KeyObject): string {
  const hourS = 3_600;
  const skew = fault === 'old-proof' ? -hourS : fault === 'future-proof' ? hourS : 0;
  const proof = {
    aud: fault === 'wrong-audience' ? 'x509_hash:another-verifier' : clientId,
    nonce: fault === 'wrong-nonce' ? `${nonce}-other` : nonce,
    iat: Math.floor(now / 1_000) + skew,
    sd_hash: digestOf(fault === 'wrong-disclosure-hash' ? `${presented}~` : presented),
  };
  return signJwt({ typ: 'kb+jwt' }, proof, key);
}

type Concealing = { readonly pid: Pick<PidPresentation, 'paths'>; readonly disclosures: string[] };

/** Replaces each member and element with the digest of its disclosure, and collects the disclosures that are selected. */
function conceal(value: unknown, path: readonly string[], concealing: Concealing): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const digests = Object.entries(value).map(([name, member]) => {
    const memberPath = [...path, name];
    const hidden = conceal(member, memberPath, concealing);
    const content = Array.isArray(value) ? [newSalt(), hidden] : [newSalt(), name, hidden];
    const disclosure = toBase64url(content);
    if (isSelected(memberPath, concealing.pid.paths)) concealing.disclosures.push(disclosure);
    return digestOf(disclosure);
  });
  // Sorted digests do not reveal the order of the members.
  return Array.isArray(value) ? digests.map((digest) => ({ '...': digest })) : { _sd: digests.sort() };
}

/** A disclosure with another value, which the issuer did not sign. */
function changedDisclosure(disclosure: string): string {
  const content = JSON.parse(Buffer.from(disclosure, 'base64url').toString()) as unknown[];
  return toBase64url([...content.slice(0, -1), 'Changed']);
}

function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function toBase64url(json: unknown): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}

function signJwt(header: object, payload: object, key: KeyObject): string {
  const signed = `${toBase64url({ alg: 'ES256', ...header })}.${toBase64url(payload)}`;
  return `${signed}.${es256(Buffer.from(signed), key).toString('base64url')}`;
}
