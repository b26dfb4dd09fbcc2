import type { Quota } from './caller.ts';
import { type Client, type Credential, clientFault, uniqueSorted } from './client.ts';
import { type MessagesUpdate, updatedMessages } from './client-messages.ts';
import type { PurposeTexts } from './purpose-texts.ts';
import {
  keepCertificatesOf,
  type RegistrationCertificates,
  replaceRegistrationCertificate,
} from './registration-certificate.ts';

/** A change of a client. An undefined member stays unchanged; null removes the restriction, or restores the default of the server. */
export type ClientUpdate = {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly purposes?: readonly string[] | null | undefined;
  /** Replaced together with `purposes`. */
  readonly purposeTexts?: PurposeTexts | undefined;
  /** An undefined `jwt` removes the certificate of that purpose. */
  readonly registrationCertificate?: { readonly purpose: string; readonly jwt: string | undefined } | undefined;
  readonly legalBases?: readonly string[] | null | undefined;
  readonly policy?: string | null | undefined;
  readonly returnAddress?: readonly string[] | null | undefined;
  readonly messages?: MessagesUpdate | undefined;
  readonly quota?: Quota | undefined;
  /** New keys or a URL of keys for a client with keys, or a new certificate for a client with a certificate. */
  readonly credential?: Exclude<Credential, { readonly by: 'secret' }> | undefined;
};

/** The client after the change, or the reason why the change is not accepted. */
export function applyClientUpdate(client: Client, wanted: ClientUpdate): Client | { readonly fault: string } {
  const { name = client.name, scopes = client.scopes, quota = client.quota, credential = client.credential } = wanted;
  const fault = clientFault({ name, scopes, quota });
  if (fault !== undefined) return { fault };
  if (methodOf(credential) !== methodOf(client.credential))
    return {
      fault: `the client authenticates by ${credentialLabels[methodOf(client.credential)]}; create a new client for another method`,
    };
  const purposes = updatedList(wanted.purposes, client.purposes);
  return {
    ...client,
    name,
    quota,
    credential,
    scopes: uniqueSorted(scopes),
    purposes,
    registrationCertificates: keepCertificatesOf(updatedCertificates(client, wanted), purposes),
    purposeTexts: wanted.purposes === undefined ? client.purposeTexts : wanted.purposeTexts,
    legalBases: updatedList(wanted.legalBases, client.legalBases),
    policy: updatedValue(wanted.policy, client.policy),
    returnAddress: updatedValue(wanted.returnAddress, client.returnAddress),
    messages: updatedMessages(client.messages, wanted.messages),
  };
}

function updatedCertificates(
  { registrationCertificates: present }: Client,
  { registrationCertificate: wanted }: ClientUpdate,
): RegistrationCertificates | undefined {
  return wanted === undefined ? present : replaceRegistrationCertificate(present, wanted.purpose, wanted.jwt);
}

type Method = Exclude<Credential['by'], 'jwks-uri'>;

/** Registered keys and keys at a URL are one method, `private_key_jwt`. */
function methodOf({ by }: Credential): Method {
  return by === 'jwks-uri' ? 'keys' : by;
}

const credentialLabels: Readonly<Record<Method, string>> = {
  secret: 'a secret',
  keys: 'its keys',
  certificate: 'a certificate',
  issuer: 'a trusted issuer',
};

function updatedValue<T>(wanted: T | null | undefined, present: T | undefined): T | undefined {
  return wanted === undefined ? present : (wanted ?? undefined);
}

function updatedList(wanted: readonly string[] | null | undefined, present: readonly string[] | undefined) {
  return updatedValue(wanted && uniqueSorted(wanted), present);
}
