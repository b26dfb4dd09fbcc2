import type { Endpoint } from '../api/endpoint-register.ts';
import { createEndpointRegisterProver } from '../audit/endpoint-register-proof.ts';
import { findClient } from '../auth/client-store.ts';
import { type SigningKey, signBytes, signJws } from '../crypto/signing-key.ts';
import { isErasureOf } from '../documents/document-store.ts';
import type { ResponseSigner } from '../documents/http/response-signature.ts';
import type { CascadePolicy } from '../notifications/cascade/cascade.ts';
import type { AppContext, AuthContext } from './app-context.ts';
import { createDocumentAlarm, openAppBlobs } from './documents.ts';
import { createIdentityPorts, createVerificationExplainer } from './identity.ts';
import type { LedgerView } from './ledger.ts';
import { createNotificationPorts } from './notifications.ts';
import type { Ports } from './operations.ts';
import { createServiceLookup } from './senders.ts';

/** A published key as what signs the answers with documents. */
function createResponseSigner(key: SigningKey): ResponseSigner {
  return { keyId: key.kid, sign: (base) => signBytes(key, Buffer.from(base)) };
}

/** Opens what the operations are given: the stores, the keys, the policies. */
export async function openPorts(
  app: AppContext,
  access: AuthContext,
  options: {
    publicUrl: string;
    endpoints: readonly Endpoint[];
    ledger: LedgerView;
    cascade: CascadePolicy;
    isHelper?: boolean;
  },
): Promise<Ports> {
  const { settings, register, citizenKeys, root, random, log } = app;
  const blobs = await openAppBlobs(app);
  const country = settings.registerCountry === undefined ? {} : { country: settings.registerCountry };
  const notifications = { random, citizenKeys, ...(await createNotificationPorts(app, access, options)) };
  return {
    ...notifications,
    ...(await createIdentityPorts(app, access, notifications)),
    register,
    rootKey: root,
    purposesOf: (clientId) => access.clients.get(clientId)?.purposes,
    granteeOf: async (clientId) => {
      const client = await findClient(app.db.read, clientId);
      return client?.disabledAt === undefined ? client : undefined;
    },
    legalBasesOf: (clientId) => access.clients.get(clientId)?.legalBases,
    signResult: async (payload, typ) => signJws(access.keys.current('result'), typ, payload),
    issuer: options.publicUrl,
    registerSource: { name: settings.registerName, ...country },
    refuseClaimsInUrl: settings.refuseClaimsInUrl,
    blobs,
    etagKey: root.derive('document-etag'),
    alarm: createDocumentAlarm(log),
    scans: settings.clamav !== 'off',
    limit: settings.documentLimit,
    signer: settings.signDocuments ? () => createResponseSigner(access.keys.current('evidence')) : undefined,
    citizenExists: (citizenId) => register.exists(citizenId),
    citizensHaveKeys: settings.registerUrl === undefined,
    endpoints: options.endpoints,
    log: options.ledger.view,
    isErasureOf: (event, clientId) => isErasureOf(app.db.read, event, clientId),
    proveEndpointRegister: createEndpointRegisterProver(options.ledger.view, options.ledger.systemKeys),
    explanationOf: createVerificationExplainer(app),
    organisationOf: (clientId) => createServiceLookup(access, settings)(clientId).name,
  };
}
