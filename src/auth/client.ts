import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import { singleLinePattern, singleLineRequirement } from '../kernel/single-line-text.ts';
import type { Quota } from './caller.ts';
import type { CertificateProof } from './client-certificate.ts';
import type { ClientKeySet } from './client-keys.ts';
import { type ClientMessages, type MessagesUpdate, updatedMessages } from './client-messages.ts';
import type { PurposeTexts } from './purpose-texts.ts';
import { defaultQuota } from './quota.ts';
import type { RegistrationCertificates } from './registration-certificate.ts';

/** `demo` and `test` clients use fictional citizens, `team` reaches only people who agreed to it, `live` everybody. */
export const clientKinds = ['demo', 'test', 'team', 'live'] as const;
/** The kind of a client. */
export type ClientKind = (typeof clientKinds)[number];

/** How a client authenticates: by a secret (stored as a hash), its own keys, keys at a URL, its certificate, or at a trusted issuer. */
export type Credential =
  | { readonly by: 'secret'; readonly hash: Uint8Array }
  | { readonly by: 'keys'; readonly jwks: ClientKeySet }
  | { readonly by: 'jwks-uri'; readonly jwksUri: string }
  | { readonly by: 'certificate'; readonly certificate: CertificateProof }
  | { readonly by: 'issuer'; readonly issuer: string };

/** The binding that the tokens of a client require: a key (DPoP, RFC 9449), its certificate (RFC 8705), or none. */
export const bindings = ['none', 'dpop', 'mtls'] as const;
/** The required binding of a client. */
export type Binding = (typeof bindings)[number];

/** A registered client: a program of a service team. */
export type Client = {
  readonly clientId: string;
  readonly name: string;
  readonly kind: ClientKind;
  readonly scopes: readonly string[];
  readonly credential: Credential;
  readonly binding: Binding;
  readonly purposes: readonly string[] | undefined;
  /** These purposes in words, for citizens. */
  readonly purposeTexts?: PurposeTexts | undefined;
  /** Wallets show them to the citizen. */
  readonly registrationCertificates?: RegistrationCertificates | undefined;
  /** The legal bases that it may state, `consent` for a reference to a consent; undefined for any. */
  readonly legalBases: readonly string[] | undefined;
  readonly policy: string | undefined;
  /** The lines of the return address on its letters; undefined for LETTER_RETURN_ADDRESS. */
  readonly returnAddress: readonly string[] | undefined;
  readonly messages: ClientMessages;
  readonly quota: Quota;
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
};

/** The input of `newClient`. The default binding is `mtls` for a client with a certificate, otherwise `none`. */
export type ClientOptions = {
  readonly name: string;
  readonly kind: ClientKind;
  readonly scopes: readonly string[];
  readonly credential: 'secret' | Exclude<Credential, { readonly by: 'secret' }>;
  readonly binding?: Binding | undefined;
  readonly purposes?: readonly string[] | undefined;
  readonly purposeTexts?: PurposeTexts | undefined;
  readonly legalBases?: readonly string[] | undefined;
  readonly policy?: string | undefined;
  readonly returnAddress?: readonly string[] | undefined;
  readonly messages?: MessagesUpdate | undefined;
  readonly quota?: Quota | undefined;
};

/** A new client with its secret, which is shown once and stored as a hash. */
export type NewClient = { readonly client: Client; readonly secret: Secret | undefined };

/** Creates a client that is not stored yet, or returns the reason why the options are not accepted. */
export function newClient(
  wanted: ClientOptions,
  clock: Clock,
  random: RandomBytes,
): NewClient | { readonly fault: string } {
  const { name, kind, scopes, credential, purposes, purposeTexts, legalBases, policy, returnAddress, messages } =
    wanted;
  const quota = wanted.quota ?? defaultQuota;
  const fault = clientFault({ name, scopes, quota });
  if (fault !== undefined) return { fault };
  const secretAllowed = kind === 'demo' || kind === 'test';
  if (credential === 'secret' && !secretAllowed) {
    const instead = 'use --jwks, --jwks-uri, --certificate or --issuer instead of --secret';
    return { fault: `a ${kind} client authenticates with its own keys: ${instead}` };
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
      purposeTexts,
      registrationCertificates: undefined,
      legalBases: legalBases && uniqueSorted(legalBases),
      policy,
      returnAddress,
      messages: updatedMessages({}, messages),
      quota,
      createdAt: clock.now(),
      disabledAt: undefined,
    },
    secret,
  };
}

/** In characters. */
const maxNameLength = 100;

/**
 * The scopes of a client whose tokens name citizens. With more scopes a citizen who takes such a token out of the browser would
 * hold rights of an authority.
 */
const citizenScopes: readonly string[] = ['citizen:self', 'documents:read'];

/** The fault of these options of a client, or undefined. */
export function clientFault({ name, scopes, quota }: Pick<Client, 'name' | 'scopes' | 'quota'>): string | undefined {
  if (!singleLinePattern.test(name) || [...name].length > maxNameLength)
    return `a name has 1 to ${maxNameLength} characters: ${singleLineRequirement}`;
  if (scopes.length === 0) return 'a client needs at least one scope';
  const mixed = scopes.includes('citizen:self') ? scopes.filter((scope) => !citizenScopes.includes(scope)).sort() : [];
  if (mixed.length > 0)
    return `a client with the scope citizen:self may also have documents:read and no other scope, but has ${mixed.join(', ')}: create a second client for the program that acts for itself`;
  const { perSecond, burst } = quota;
  const areIntegers = Number.isSafeInteger(perSecond) && Number.isSafeInteger(burst);
  if (!areIntegers || perSecond < 1 || perSecond > 1_000_000 || burst < 1 || burst > 10_000_000)
    return 'a quota is 1 to 1,000,000 requests a second';
  return undefined;
}

/** 256 random bits. The prefix lets secret scanners of repositories recognise a leaked one. */
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

/** A list as it is stored: sorted, each item once. */
export function uniqueSorted(words: readonly string[]): string[] {
  return [...new Set(words)].sort();
}

function randomLetters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => 'abcdefghjkmnpqrstvwxyz0123456789'.charAt(byte & 31)).join('');
}

/** A plain SHA-256 is enough, because a secret has 256 random bits. The id makes a copied hash useless for other clients. */
function hashClientSecret(clientId: string, secret: string): Buffer {
  return hash('sha256', `citizen-services/client-secret@v1\0${clientId}\0${secret}`, 'buffer');
}

/** Whether `secret` has that stored hash; compared in constant time. */
export function isClientSecret(clientId: string, stored: Uint8Array, secret: string): boolean {
  const presented = hashClientSecret(clientId, secret);
  return presented.length === stored.length && timingSafeEqual(presented, stored);
}
