import type { Quota } from './caller.ts';
import { type Client, type Credential, clientFault, uniqueSorted } from './client.ts';

/** What an operator wants of a client from now on; what is undefined stays as it is. */
export type ClientUpdate = {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Null: any. */
  readonly purposes?: readonly string[] | null | undefined;
  /** Null: any. */
  readonly legalBases?: readonly string[] | null | undefined;
  /** Null: the standing one. */
  readonly policy?: string | null | undefined;
  /** Null: that of all others. */
  readonly returnAddress?: readonly string[] | null | undefined;
  readonly quota?: Quota | undefined;
  /** New keys, or a new certificate, of a client that proves itself so already. */
  readonly credential?: Exclude<Credential, { readonly by: 'secret' }> | undefined;
};

/** The client as it would be with the change; answers the fault in words where it is wanted against the rules. */
export function applyClientUpdate(client: Client, wanted: ClientUpdate): Client | { readonly fault: string } {
  const { name = client.name, scopes = client.scopes, quota = client.quota, credential = client.credential } = wanted;
  const fault = clientFault({ name, scopes, quota });
  if (fault !== undefined) return { fault };
  if (credential.by !== client.credential.by)
    return {
      fault: `the client proves itself by ${credentialLabels[client.credential.by]}; for another proof make a new client`,
    };
  return {
    ...client,
    ...{ name, quota, credential },
    scopes: uniqueSorted(scopes),
    purposes: updatedList(wanted.purposes, client.purposes),
    legalBases: updatedList(wanted.legalBases, client.legalBases),
    policy: updatedValue(wanted.policy, client.policy),
    returnAddress: updatedValue(wanted.returnAddress, client.returnAddress),
  };
}

const credentialLabels: Readonly<Record<Credential['by'], string>> = {
  secret: 'a secret',
  keys: 'its keys',
  certificate: 'a certificate',
  issuer: 'the word of another issuer',
};

function updatedValue<T>(wanted: T | null | undefined, present: T | undefined): T | undefined {
  return wanted === undefined ? present : (wanted ?? undefined);
}

function updatedList(wanted: readonly string[] | null | undefined, present: readonly string[] | undefined) {
  return updatedValue(wanted && uniqueSorted(wanted), present);
}
