import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { sha256 } from '../../src/kernel/hashing.ts';
import { isObject } from '../../src/kernel/is-object.ts';

/** A disclosure with the path of its claim, such as `address.country` or `nationalities.0`. */
export type Disclosure = { readonly path: string; readonly text: string };

/** The names to conceal at each level (`_sd`), the number of decoys (`_sd_decoy`), and the frames of the levels below. */
export type DisclosureFrame = { readonly [name: string]: DisclosureFrame | readonly (string | number)[] | number };

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const digestOf = (text: string) => sha256(Buffer.from(text)).toString('base64url');
const newSalt = () => randomBytes(16).toString('base64url');

/** Replaces the claims of the frame by digests, the inner levels first, and adds the disclosures to the list. */
export function concealClaims(
  claims: unknown,
  frame: DisclosureFrame,
  { path = '', disclosures }: { readonly path?: string; readonly disclosures: Disclosure[] },
): unknown {
  const { _sd: names = [], _sd_decoy: decoys = 0 } = frame;
  const concealed = new Set(Array.isArray(names) ? names.map(String) : []);
  const inner = (name: string, value: unknown) => {
    const below = frame[name];
    const pathBelow = path === '' ? name : `${path}.${name}`;
    return isObject(below) ? concealClaims(value, below as DisclosureFrame, { path: pathBelow, disclosures }) : value;
  };
  const disclose = (name: string, parts: readonly unknown[]) => {
    const text = base64url([newSalt(), ...parts]);
    disclosures.push({ path: path === '' ? name : `${path}.${name}`, text });
    return digestOf(text);
  };
  const decoyDigests = Array.from({ length: Number(decoys) }, () => digestOf(newSalt()));
  if (Array.isArray(claims)) {
    const elements = claims.map((value, index) => {
      const element = inner(String(index), value);
      return concealed.has(String(index)) ? { '...': disclose(String(index), [element]) } : element;
    });
    return [...elements, ...decoyDigests.map((digest) => ({ '...': digest }))];
  }
  if (!isObject(claims)) throw new TypeError('expected an object or an array for this disclosure frame');
  const members = Object.entries(claims).map(([name, value]) => [name, inner(name, value)] as const);
  const digests = members.filter(([name]) => concealed.has(name)).map(([name, value]) => disclose(name, [name, value]));
  const plain = Object.fromEntries(members.filter(([name]) => !concealed.has(name)));
  const all = [...digests, ...decoyDigests];
  return all.length === 0 ? plain : { ...plain, _sd: all };
}

/** A compact JWS with ES256. */
export function signEs256(header: object, payload: object, key: KeyObject): string {
  const signed = `${base64url({ alg: 'ES256', ...header })}.${base64url(payload)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Adds the proof of the holder to an SD-JWT (`<jwt>~<disclosure>~…~`). Members of `proof` replace the correct ones. */
export function bindToHolder(
  presented: string,
  proof: Readonly<Record<string, unknown>>,
  { key, header = {} }: { readonly key: KeyObject; readonly header?: object },
): string {
  return presented + signEs256({ typ: 'kb+jwt', ...header }, { sd_hash: digestOf(presented), ...proof }, key);
}
