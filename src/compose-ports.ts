import type { Endpoint } from './api/endpoint-register.ts';
import type { Access, House } from './compose.ts';
import type { Ledger } from './compose-ledger.ts';
import { openFolderBlobs } from './documents/blobs/folder.ts';
import { sweepBlobs } from './documents/sweep-blobs.ts';
import { standardPolicy } from './identity/match/policy.ts';
import { signJws } from './keys/signing-key.ts';
import type { ContactOf } from './notifications/ports.ts';
import type { Ports } from './operations.ts';
import { createRegisterGrowth } from './oversight/register-growth.ts';

/** An upload may take so long; what is older and owned by no document is a leftover. */
const uploadHours = 24;

/** Where citizens are reached, as the register has it. */
export function contactsOf(house: House): ContactOf {
  return async (citizenId) => {
    const contact = await house.register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language } = contact;
    return { name, email: email ?? undefined, phone: phone ?? undefined, language: language ?? undefined };
  };
}

/** Opens what the operations are given: the stores, the keys, the policies. Leftovers of broken uploads are removed. */
export async function openPorts(
  house: House,
  access: Access,
  site: { publicUrl: string; endpoints: readonly Endpoint[]; ledger: Ledger },
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
    blobs,
    etagKey: root.derive('document-etag'),
    alarm: (kind, document) => log.fault(kind, new Error(`${kind}: ${document}`)),
    citizenExists: (citizenId) => register.exists(citizenId),
    endpoints: site.endpoints,
    log: site.ledger.view,
    registerGrowth: createRegisterGrowth(site.ledger.view, site.ledger.houseKeys),
    organisationOf: (clientId) => access.clients.get(clientId)?.name ?? clientId,
  };
}
