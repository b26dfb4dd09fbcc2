import type { Read, Row, SqlValue, Statement } from '../db/database.ts';
import { enumField, integerField, integerOrNull, textField, textOrNull } from '../db/row-fields.ts';
import { type Binding, bindings, type Client, type Credential, clientKinds } from './client.ts';
import type { CertificateProof } from './client-certificate.ts';
import type { ClientKeySet } from './client-keys.ts';
import type { PurposeTexts } from './purpose-texts.ts';
import type { RegistrationCertificates } from './registration-certificate.ts';

const columns =
  'client_id, name, kind, scopes, secret_hash, jwks, issuer, purposes, quota_per_second, quota_burst, created_at, disabled_at, policy, certificate, binding, legal_bases, return_address, reply_to, contact_phone, contact_email, contact_url, sms_sender, notice_only, purpose_texts, jwks_uri, registration_certificates';

/** The statement that stores a new client; for the write unit of the event `client.created`. */
export function insertClient(client: Client): Statement {
  const { clientId, kind, credential, binding, createdAt, disabledAt } = client;
  const fixed = {
    client_id: clientId,
    kind,
    secret_hash: credential.by === 'secret' ? credential.hash : null,
    issuer: credential.by === 'issuer' ? credential.issuer : null,
    binding,
    created_at: createdAt,
    disabled_at: disabledAt ?? null,
  };
  const values = [...Object.entries(fixed), ...changeableColumns(client)];
  return {
    sql: `insert into client (${values.map(([column]) => column).join(', ')})
      values (${values.map((_value, index) => `$${index + 1}`).join(', ')})`,
    args: values.map(([, value]) => value),
  };
}

/** The statement that disables a client. Its unit is refused (`rows`) if the client does not exist or is disabled already. */
export function setClientDisabled(clientId: string, now: number): Statement {
  return {
    sql: 'update client set disabled_at = $2 where client_id = $1 and disabled_at is null returning client_id',
    args: [clientId, now],
    rows: 1,
  };
}

/** The statement that sets the binding of a client. Its unit is refused (`rows`) if no enabled client has that id. */
export function setClientBinding(clientId: string, binding: Binding): Statement {
  return {
    sql: 'update client set binding = $2 where client_id = $1 and disabled_at is null returning client_id',
    args: [clientId, binding],
    rows: 1,
  };
}

/** The parts of a client that can be changed, each with its columns. */
function changeableParts(client: Client) {
  const { name, scopes, purposes, legalBases, policy, returnAddress, messages, quota, credential } = client;
  const jwks = credential.by === 'keys' ? JSON.stringify(credential.jwks) : null;
  const jwksUri = credential.by === 'jwks-uri' ? credential.jwksUri : null;
  const certificate = credential.by === 'certificate' ? JSON.stringify(credential.certificate) : null;
  return [
    ['name', { name }],
    ['scopes', { scopes: scopes.join(' ') }],
    ['purposes', { purposes: listOrNull(purposes), purpose_texts: textsOrNull(client) }],
    ['registrationCertificates', { registration_certificates: certificatesOrNull(client) }],
    ['legalBases', { legal_bases: listOrNull(legalBases) }],
    ['policy', { policy: policy ?? null }],
    ['returnAddress', { return_address: listOrNull(returnAddress) }],
    ['replyTo', { reply_to: messages.replyTo ?? null }],
    ['contactPhone', { contact_phone: messages.contactPhone ?? null }],
    ['contactEmail', { contact_email: messages.contactEmail ?? null }],
    ['contactUrl', { contact_url: messages.contactUrl ?? null }],
    ['smsSender', { sms_sender: messages.smsSender ?? null }],
    ['noticeOnly', { notice_only: listOrNull(messages.noticeOnly) }],
    ['quota', { quota_per_second: quota.perSecond, quota_burst: quota.burst }],
    ['credential', { jwks, jwks_uri: jwksUri, certificate }],
  ] as const;
}

/** The columns of these parts with their values. */
function changeableColumns(client: Client): [string, SqlValue][] {
  return changeableParts(client).flatMap<[string, SqlValue]>(([, values]) => Object.entries(values));
}

function listOrNull(list: readonly string[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list);
}

function textsOrNull({ purposeTexts }: Client): string | null {
  return purposeTexts === undefined ? null : JSON.stringify(purposeTexts);
}

function certificatesOrNull({ registrationCertificates }: Client): string | null {
  return registrationCertificates === undefined ? null : JSON.stringify(registrationCertificates);
}

type ClientPart = ReturnType<typeof changeableParts>[number][0];

/** The parts in which two states of a client differ. */
export function changedParts(before: Client, after: Client): ClientPart[] {
  const was = changeableParts(before);
  const changed = changeableParts(after).filter((part, index) => JSON.stringify(part) !== JSON.stringify(was[index]));
  return changed.map(([part]) => part);
}

/** The statement that changes a client. Its unit is refused (`rows`) if the stored client differs from `before`. */
export function updateClientRow(before: Client, after: Client): Statement {
  const [wanted, expected] = [changeableColumns(after), changeableColumns(before)];
  const assignments = wanted.map(([column], index) => `${column} = $${index + 2}`);
  const conditions = expected.map(([column], index) => `${column} is not distinct from $${index + 2 + wanted.length}`);
  return {
    sql: `update client set ${assignments.join(', ')}
      where client_id = $1 and disabled_at is null and ${conditions.join(' and ')}
      returning client_id`,
    args: [before.clientId, ...wanted.map(([, value]) => value), ...expected.map(([, value]) => value)],
    rows: 1,
  };
}

/** The client of that id as it is stored now, disabled or not. */
export async function findClient(read: Read, clientId: string): Promise<Client | undefined> {
  const [row] = await read(`select ${columns} from client where client_id = $1`, [clientId]);
  return row === undefined ? undefined : clientOf(row);
}

/** All clients, sorted by id. */
export async function allClients(read: Read): Promise<Client[]> {
  return (await read(`select ${columns} from client order by client_id`, [])).map(clientOf);
}

function clientOf(row: Row): Client {
  return {
    clientId: textField(row, 'client_id'),
    name: textField(row, 'name'),
    kind: enumField(row, 'kind', clientKinds),
    scopes: textField(row, 'scopes').split(' '),
    credential: credentialOf(row),
    binding: enumField(row, 'binding', bindings),
    purposes: parseListColumn(row, 'purposes'),
    purposeTexts: parsePurposeTexts(row),
    registrationCertificates: parseCertificatesColumn(row),
    legalBases: parseListColumn(row, 'legal_bases'),
    policy: textOrNull(row, 'policy') ?? undefined,
    returnAddress: parseListColumn(row, 'return_address'),
    messages: {
      replyTo: textOrNull(row, 'reply_to') ?? undefined,
      contactPhone: textOrNull(row, 'contact_phone') ?? undefined,
      contactEmail: textOrNull(row, 'contact_email') ?? undefined,
      contactUrl: textOrNull(row, 'contact_url') ?? undefined,
      smsSender: textOrNull(row, 'sms_sender') ?? undefined,
      noticeOnly: parseListColumn(row, 'notice_only'),
    },
    quota: { perSecond: integerField(row, 'quota_per_second'), burst: integerField(row, 'quota_burst') },
    createdAt: integerField(row, 'created_at'),
    disabledAt: integerOrNull(row, 'disabled_at') ?? undefined,
  };
}

function parseListColumn(row: Row, column: string): readonly string[] | undefined {
  const list = textOrNull(row, column);
  // The JSON is our own, written by `listOrNull`.
  return list === null ? undefined : (JSON.parse(list) as string[]);
}

function parsePurposeTexts(row: Row): PurposeTexts | undefined {
  const texts = textOrNull(row, 'purpose_texts');
  // Our own JSON, from `groupPurposeTexts`.
  return texts === null ? undefined : (JSON.parse(texts) as PurposeTexts);
}

function parseCertificatesColumn(row: Row): RegistrationCertificates | undefined {
  const certificates = textOrNull(row, 'registration_certificates');
  // Our own JSON, from `certificatesOrNull`.
  return certificates === null ? undefined : (JSON.parse(certificates) as RegistrationCertificates);
}

function credentialOf(row: Row): Credential {
  const { secret_hash: hash, jwks, jwks_uri: jwksUri, certificate, issuer } = row;
  if (hash instanceof Uint8Array) return { by: 'secret', hash };
  // Our own JSON, from `parseClientKeys`.
  if (typeof jwks === 'string') return { by: 'keys', jwks: JSON.parse(jwks) as ClientKeySet };
  if (typeof jwksUri === 'string') return { by: 'jwks-uri', jwksUri };
  // Our own JSON, from `parsePinnedCertificate` or `parseCertificateName`.
  if (typeof certificate === 'string')
    return { by: 'certificate', certificate: JSON.parse(certificate) as CertificateProof };
  if (typeof issuer === 'string') return { by: 'issuer', issuer };
  throw new TypeError('expected a credential in the row of a client');
}
