import { findClient } from '../access/client-store.ts';
import type { Endpoint } from '../api/endpoint-register.ts';
import type { Access, House } from '../compose.ts';
import { isErasureOf } from '../documents/document-store.ts';
import type { ResponseSigner } from '../documents/response-signature.ts';
import { type SigningKey, signBytes, signJws } from '../keys/signing-key.ts';
import type { CascadePolicy } from '../notifications/delivery/cascade.ts';
import type { Ports } from '../operations.ts';
import { createRegisterGrowth } from '../oversight/register-growth.ts';
import { documentAlarm, openHouseBlobs } from './documents.ts';
import { explanations, identityPorts } from './identity.ts';
import type { Ledger } from './ledger.ts';
import { notificationPorts } from './notifications.ts';
import { servicesOf } from './senders.ts';

/** A published key as what signs the answers with documents. */
function signerOf(key: SigningKey): ResponseSigner {
  return { keyId: key.kid, sign: (base) => signBytes(key, Buffer.from(base)) };
}

/** Opens what the operations are given: the stores, the keys, the policies. */
export async function openPorts(
  house: House,
  access: Access,
  site: {
    publicUrl: string;
    endpoints: readonly Endpoint[];
    ledger: Ledger;
    cascade: CascadePolicy;
    isHelper?: boolean;
  },
): Promise<Ports> {
  const { settings, register, citizenKeys, root, random, log } = house;
  const blobs = await openHouseBlobs(house);
  const country = settings.registerCountry === undefined ? {} : { country: settings.registerCountry };
  const telling = { random, citizenKeys, ...(await notificationPorts(house, access, site)) };
  return {
    ...telling,
    ...(await identityPorts(house, access, telling)),
    register,
    rootKey: root,
    purposesOf: (clientId) => access.clients.get(clientId)?.purposes,
    granteeOf: async (clientId) => {
      const client = await findClient(house.db.read, clientId);
      return client?.disabledAt === undefined ? client : undefined;
    },
    legalBasesOf: (clientId) => access.clients.get(clientId)?.legalBases,
    signResult: async (payload, typ) => signJws(access.keys.current('result'), typ, payload),
    issuer: site.publicUrl,
    registerSource: { name: settings.registerName, ...country },
    refuseClaimsInUrl: settings.refuseClaimsInUrl,
    blobs,
    etagKey: root.derive('document-etag'),
    alarm: documentAlarm(log),
    scans: settings.clamav !== 'off',
    limit: settings.documentLimit,
    signer: settings.signDocuments ? () => signerOf(access.keys.current('evidence')) : undefined,
    citizenExists: (citizenId) => register.exists(citizenId),
    citizensHaveKeys: settings.registerUrl === undefined,
    endpoints: site.endpoints,
    log: site.ledger.view,
    isErasureOf: (event, clientId) => isErasureOf(house.db.read, event, clientId),
    registerGrowth: createRegisterGrowth(site.ledger.view, site.ledger.houseKeys),
    explanationOf: explanations(house),
    organisationOf: (clientId) => servicesOf(access, settings)(clientId).name,
  };
}
