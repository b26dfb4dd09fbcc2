import { sha256 } from '../../kernel/hashing.ts';
import { isObject } from '../../kernel/is-object.ts';
import { PresentationFailure } from '../failure-reason.ts';
import { presentationLimits } from './presentation-limits.ts';

/** The members that carry digests. A claim must not have these names. */
const [digestsName, elementName, algorithmName] = ['_sd', '...', '_sd_alg'];

type Resolution = {
  /** Disclosures by digest that no digest has referenced yet. */
  readonly unused: Map<string, readonly unknown[]>;
  readonly seenDigests: Set<string>;
};

/**
 * The claims of an SD-JWT: its payload, with disclosed values in place of their digests (RFC 9901, section 7.1). Digests without a
 * disclosure are removed. Every digest may occur once, and every disclosure must be used. Only SHA-256 is accepted. The caller has
 * verified the signature of the payload.
 */
export function resolveDisclosures(
  payload: Readonly<Record<string, unknown>>,
  disclosures: readonly string[],
): Record<string, unknown> {
  const { [algorithmName]: algorithm = 'sha-256', ...signed } = payload;
  if (algorithm !== 'sha-256' || disclosures.length > presentationLimits.disclosures) invalid();
  const unused = new Map(disclosures.map((text) => [sha256(Buffer.from(text)).toString('base64url'), parse(text)]));
  if (unused.size < disclosures.length) invalid();
  const claims = resolveObject(signed, { unused, seenDigests: new Set() }, 0);
  if (unused.size > 0) invalid();
  return claims;
}

function invalid(): never {
  throw new PresentationFailure('disclosure-invalid');
}

/** A disclosure is `[salt, name, value]` for a member, and `[salt, value]` for an element of an array. */
function parse(disclosure: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(disclosure, 'base64url').toString());
  } catch {
    invalid();
  }
  return Array.isArray(parsed) && typeof parsed[0] === 'string' ? parsed : invalid();
}

function resolveValue(value: unknown, resolution: Resolution, depth: number): unknown {
  if (depth > presentationLimits.depth) invalid();
  if (Array.isArray(value)) return value.flatMap((element) => resolveElement(element, resolution, depth + 1));
  return isObject(value) ? resolveObject(value, resolution, depth) : value;
}

function resolveObject(
  object: Readonly<Record<string, unknown>>,
  resolution: Resolution,
  depth: number,
): Record<string, unknown> {
  const members = new Map<string, unknown>();
  const add = (name: unknown, value: unknown) => {
    if (typeof name !== 'string' || name === digestsName || name === elementName || members.has(name)) invalid();
    members.set(name, resolveValue(value, resolution, depth + 1));
  };
  const { [digestsName]: digests = [], ...others } = object;
  for (const [name, value] of Object.entries(others)) add(name, value);
  if (!Array.isArray(digests)) invalid();
  for (const digest of digests) {
    const disclosure = takeDisclosure(digest, resolution);
    if (disclosure === undefined) continue;
    if (disclosure.length !== 3) invalid();
    add(disclosure[1], disclosure[2]);
  }
  return Object.fromEntries(members);
}

/** One element, or none if it is a digest without a disclosure. */
function resolveElement(element: unknown, resolution: Resolution, depth: number): readonly unknown[] {
  if (!isObject(element) || !Object.hasOwn(element, elementName)) return [resolveValue(element, resolution, depth)];
  if (Object.keys(element).length !== 1) invalid();
  const disclosure = takeDisclosure(element[elementName], resolution);
  if (disclosure === undefined) return [];
  return disclosure.length === 2 ? [resolveValue(disclosure[1], resolution, depth)] : invalid();
}

function takeDisclosure(digest: unknown, { unused, seenDigests }: Resolution): readonly unknown[] | undefined {
  if (typeof digest !== 'string' || seenDigests.has(digest)) invalid();
  seenDigests.add(digest);
  const disclosure = unused.get(digest);
  unused.delete(digest);
  return disclosure;
}
