import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import type { Quota } from './caller.ts';
import type { CertificateProof } from './client-certificate.ts';
import type { ClientKeySet } from './client-keys.ts';
import { defaultQuota } from './quota.ts';

/**
 * How real what a client does is: `demo` and `test` play with made-up citizens, `team` reaches only people who agreed to
 * it, `live` everybody.
 */
export const clientKinds = ['demo', 'test', 'team', 'live'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** By what a client proves itself at the token endpoint: the hash of its secret, its own keys, its certificate, or another issuer's word. */
export type Credential =
  | { readonly by: 'secret'; readonly hash: Uint8Array }
  | { readonly by: 'keys'; readonly jwks: ClientKeySet }
  | { readonly by: 'certificate'; readonly certificate: CertificateProof }
  | { readonly by: 'issuer'; readonly issuer: string };

/** To what the tokens of a client must be bound: to a key (DPoP, RFC 9449), to its certificate (RFC 8705), or to nothing. */
export const bindings = ['none', 'dpop', 'mtls'] as const;
export type Binding = (typeof bindings)[number];

/** A client: a program of a service team that may call. Without `purposes` it may state any. */
export type Client = {
  readonly clientId: string;
  readonly name: string;
  readonly kind: ClientKind;
  readonly scopes: readonly string[];
  readonly credential: Credential;
  readonly binding: Binding;
  readonly purposes: readonly string[] | undefined;
  /** The legal bases that it may state, `consent` for a reference to one; undefined: any. */
  readonly legalBases: readonly string[] | undefined;
  /** The name of the matching policy for its questions; undefined: the standing one. */
  readonly policy: string | undefined;
  /** Where its letters come back to that cannot be delivered, line by line; undefined: LETTER_RETURN_ADDRESS. */
  readonly returnAddress: readonly string[] | undefined;
  readonly quota: Quota;
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
};

/**
 * What an operator asks for. `credential: 'secret'` has one made, which only demo and test clients may have. Without
 * `binding`, tokens bought with a certificate are bound to it, and others to nothing.
 */
export type ClientOptions = {
  readonly name: string;
  readonly kind: ClientKind;
  readonly scopes: readonly string[];
  readonly credential: 'secret' | Exclude<Credential, { readonly by: 'secret' }>;
  readonly binding?: Binding | undefined;
  readonly purposes?: readonly string[] | undefined;
  readonly legalBases?: readonly string[] | undefined;
  readonly policy?: string | undefined;
  readonly returnAddress?: readonly string[] | undefined;
  readonly quota?: Quota | undefined;
};

/** A new client, with its secret where it has one: shown once, and kept as a hash only. */
export type NewClient = { readonly client: Client; readonly secret: Secret | undefined };

/** Makes a client that is not stored yet; answers the fault in words where it was wanted against the rules. */
export function newClient(
  wanted: ClientOptions,
  clock: Clock,
  random: RandomBytes,
): NewClient | { readonly fault: string } {
  const { name, kind, scopes, credential, purposes, legalBases, policy, returnAddress } = wanted;
  const quota = wanted.quota ?? defaultQuota;
  const fault = clientFault({ name, scopes, quota });
  if (fault !== undefined) return { fault };
  const secretAllowed = kind === 'demo' || kind === 'test';
  if (credential === 'secret' && !secretAllowed) {
    return { fault: `a ${kind} client proves itself by its own keys: hand in its public key set, and no secret` };
  }
  const byCertificate = credential !== 'secret' && credential.by === 'certificate';
  const clientId = `${slugOf(name)}-${randomLetters(random(8))}`;
  const secret = credential === 'secret' ? generateSecret(kind, random) : undefined;
  return {
    client: {
      clientId,
      name,
      kind,
      scopes: uniqueSorted(scopes),
      credential:
        credential === 'secret'
          ? { by: 'secret', hash: hashClientSecret(clientId, secret?.reveal() ?? '') }
          : credential,
      binding: wanted.binding ?? (byCertificate ? 'mtls' : 'none'),
      purposes: purposes && uniqueSorted(purposes),
      legalBases: legalBases && uniqueSorted(legalBases),
      policy,
      returnAddress,
      quota,
      createdAt: clock.now(),
      disabledAt: undefined,
    },
    secret,
  };
}

/** What is wrong with what an operator wants a client to have, in words. */
export function clientFault({ name, scopes, quota }: Pick<Client, 'name' | 'scopes' | 'quota'>): string | undefined {
  if (!/^[^\p{Cc}\p{Cs}]{1,100}$/u.test(name))
    return 'a name has 1 to 100 characters, none of them a control character';
  if (scopes.length === 0) return 'a client needs at least one scope';
  const { perSecond, burst } = quota;
  const whole = Number.isSafeInteger(perSecond) && Number.isSafeInteger(burst);
  if (!whole || perSecond < 1 || perSecond > 1_000_000 || burst < 1 || burst > 10_000_000)
    return 'a quota is 1 to 1,000,000 requests a second';
  return undefined;
}

/** 256 random bits, behind a prefix by which a scanner of repositories knows a leaked one. */
function generateSecret(kind: ClientKind, random: RandomBytes): Secret {
  return new Secret(`cs_${kind}_${Buffer.from(random(32)).toString('base64url')}`);
}

function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-+/, '').slice(0, 32).replace(/-+$/, '') || 'client';
}

/** A list as a client keeps it: each word once, in order. */
export function uniqueSorted(words: readonly string[]): string[] {
  return [...new Set(words)].sort();
}

function randomLetters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => 'abcdefghjkmnpqrstvwxyz0123456789'.charAt(byte & 31)).join('');
}

/**
 * What is kept of a secret. A plain hash, since a secret is always 256 bits that we drew: nothing can be guessed from
 * it, and it outlives a change of the root key. Bound to the client, so that a hash copied to another row opens nothing.
 */
function hashClientSecret(clientId: string, secret: string): Buffer {
  return createHash('sha256').update(`citizen-services/client-secret@v1\0${clientId}\0${secret}`).digest();
}

/** Whether `secret` is the one whose hash is kept for that client; compared in constant time. */
export function isClientSecret(clientId: string, hash: Uint8Array, secret: string): boolean {
  const given = hashClientSecret(clientId, secret);
  return given.length === hash.length && timingSafeEqual(given, hash);
}
