import type { Endpoint } from './api/endpoint-register.ts';
import type { Access, House } from './compose.ts';
import { documentAlarm, openBlobs } from './compose-documents.ts';
import type { Ledger } from './compose-ledger.ts';
import { accessOf } from './documents/document.ts';
import { findDocument } from './documents/document-store.ts';
import type { ResponseSigner } from './documents/response-signature.ts';
import { openRecord } from './documents/sealed-record.ts';
import { standardPolicy } from './identity/match/policy.ts';
import type { Contact } from './identity/register.ts';
import { type SigningKey, signBytes, signJws } from './keys/signing-key.ts';
import type { CascadePolicy } from './notifications/cascade.ts';
import type { AttachmentTitle, ContactOf } from './notifications/ports.ts';
import type { Ports } from './operations.ts';
import { createRegisterGrowth } from './oversight/register-growth.ts';

/** Where citizens are reached, as the register has it. */
export function contactsOf(house: House): ContactOf {
  return async (citizenId) => {
    const contact = await house.register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language, postalAddress } = contact;
    const postalLines = postalLinesOf(postalAddress);
    return { name, email: email ?? undefined, phone: phone ?? undefined, language: language ?? undefined, postalLines };
  };
}

/** An address without a place to go to is none. */
function postalLinesOf(address: Contact['postalAddress']): readonly string[] | undefined {
  const { streetAddress, postalCode, locality, country } = address;
  if (streetAddress === null || locality === null) return undefined;
  const place = postalCode === null ? locality : `${postalCode} ${locality}`;
  return [streetAddress, place, ...(country === null ? [] : [country])];
}

/** The names of the services behind the clients. */
export function senderNamesOf({ clients }: Access): (clientId: string) => Promise<string> {
  return async (clientId) => {
    if (!clients.fresh()) await clients.refresh();
    return clients.get(clientId)?.name ?? clientId;
  };
}

/** The titles of documents, for those who may read them: the documents' own rule decides. */
function attachmentTitles({ db, citizenKeys }: House): AttachmentTitle {
  return async (id, { clientId, citizenId, now }) => {
    const found = await findDocument(db.read, id);
    if (found === undefined || found.document.citizenId !== citizenId) return undefined;
    const { document, grants } = found;
    if (document.status !== 'available' || accessOf(document, grants, { client: clientId }, now) === undefined)
      return undefined;
    const { issuer, createdAt, sealedRecord } = document;
    const binding = { id, pseudonym: citizenKeys.pseudonymOf(citizenId), issuer, createdAt };
    return openRecord(await citizenKeys.keyOf(citizenId), binding, sealedRecord).title;
  };
}

/** A published key as what signs the answers with documents. */
function signerOf(key: SigningKey): ResponseSigner {
  return { keyId: key.kid, sign: (base) => signBytes(key, Buffer.from(base)) };
}

/** Opens what the operations are given: the stores, the keys, the policies. */
export async function openPorts(
  house: House,
  access: Access,
  site: { publicUrl: string; endpoints: readonly Endpoint[]; ledger: Ledger; cascade: CascadePolicy },
): Promise<Ports> {
  const { settings, register, citizenKeys, root, random, log } = house;
  const blobs = await openBlobs(house);
  const country = settings.registerCountry === undefined ? {} : { country: settings.registerCountry };
  return {
    random,
    citizenKeys,
    register,
    rootKey: root,
    policyOf: () => standardPolicy,
    purposesOf: (clientId) => access.clients.get(clientId)?.purposes,
    signResult: async (payload, typ) => signJws(access.keys.current('result'), typ, payload),
    issuer: site.publicUrl,
    registerSource: { name: settings.registerName, ...country },
    refuseClaimsInUrl: settings.refuseClaimsInUrl,
    contactOf: contactsOf(house),
    cascade: site.cascade,
    senderNameOf: senderNamesOf(access),
    attachmentTitle: attachmentTitles(house),
    blobs,
    etagKey: root.derive('document-etag'),
    alarm: documentAlarm(log),
    scans: settings.clamav !== 'off',
    limit: settings.documentLimit,
    signer: settings.signDocuments ? () => signerOf(access.keys.current('evidence')) : undefined,
    citizenExists: (citizenId) => register.exists(citizenId),
    endpoints: site.endpoints,
    log: site.ledger.view,
    registerGrowth: createRegisterGrowth(site.ledger.view, site.ledger.houseKeys),
    organisationOf: (clientId) => access.clients.get(clientId)?.name ?? clientId,
  };
}
