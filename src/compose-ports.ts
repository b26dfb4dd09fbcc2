import type { Endpoint } from './api/endpoint-register.ts';
import type { Access, House } from './compose.ts';
import { openFolderBlobs } from './documents/blobs/folder.ts';
import { accessOf } from './documents/document.ts';
import { findDocument } from './documents/document-store.ts';
import { openRecord } from './documents/sealed-record.ts';
import { sweepBlobs } from './documents/sweep-blobs.ts';
import { standardPolicy } from './identity/match/policy.ts';
import type { Contact } from './identity/register.ts';
import { signJws } from './keys/signing-key.ts';
import type { CascadePolicy } from './notifications/cascade.ts';
import type { AttachmentTitle, ContactOf } from './notifications/ports.ts';
import type { Ports } from './operations.ts';

/** An upload may take so long; what is older and owned by no document is a leftover. */
const uploadHours = 24;

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

/** Opens what the operations are given: the stores, the keys, the policies. Leftovers of broken uploads are removed. */
export async function openPorts(
  house: House,
  access: Access,
  site: { publicUrl: string; endpoints: readonly Endpoint[]; cascade: CascadePolicy },
): Promise<Ports> {
  const { settings, register, citizenKeys, root, random, log, clock, db } = house;
  const blobs = await openFolderBlobs(settings.documentStore);
  // Only this process can have an SQLite database open; on PostgreSQL another may be in the middle of an upload.
  const before = db.engine === 'sqlite' ? clock.now() : clock.now() - uploadHours * 3_600_000;
  const swept = await sweepBlobs({ blobs, read: db.read }, before);
  if (swept.broken + swept.orphans > 0) log.notice('leftovers of broken uploads removed', swept);
  if (swept.strays > 0) {
    const what = `${swept.strays} sealed documents have no row in this database: is it the right one? Nothing was removed`;
    log.fault('documents', new Error(what));
  }
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
    alarm: (kind, document) => log.fault(kind, new Error(`${kind}: ${document}`)),
    citizenExists: (citizenId) => register.exists(citizenId),
    endpoints: site.endpoints,
  };
}
