import type { Endpoint } from './api/endpoint-register.ts';
import type { Access, House } from './compose.ts';
import { documentAlarm, openBlobs } from './compose-documents.ts';
import type { Ledger } from './compose-ledger.ts';
import { notificationPorts } from './compose-notifications.ts';
import { standardPolicy } from './identity/match/policy.ts';
import { signJws } from './keys/signing-key.ts';
import type { CascadePolicy } from './notifications/cascade.ts';
import type { Ports } from './operations.ts';

/** Opens what the operations are given: the stores, the keys, the policies. */
export async function openPorts(
  house: House,
  access: Access,
  site: {
    publicUrl: string;
    endpoints: readonly Endpoint[];
    ledger: Ledger;
    cascade: CascadePolicy;
    simulated: boolean;
  },
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
    ...notificationPorts(house, access, site),
    blobs,
    etagKey: root.derive('document-etag'),
    alarm: documentAlarm(log),
    scans: settings.clamav !== 'off',
    limit: settings.documentLimit,
    citizenExists: (citizenId) => register.exists(citizenId),
    endpoints: site.endpoints,
    log: site.ledger.view,
    endpointChain: site.ledger.houseKeys.chainOf('endpoints'),
  };
}
