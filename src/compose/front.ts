import { createAuthorizationServer } from '../access/authorization-server.ts';
import { createTokenChecker } from '../access/check-token.ts';
import { createClientPlaces } from '../access/client-places.ts';
import { apiCatalog, protectedResourceMetadata, securityTxt } from '../access/metadata.ts';
import { createTrustedIssuer } from '../access/trusted-issuer.ts';
import { createAdminServer } from '../api/admin-server.ts';
import type { Gate } from '../api/dispatch.ts';
import { loadLimits } from '../api/load.ts';
import { scopes } from '../api/operation.ts';
import type { Mount, Page } from '../api/server.ts';
import { apiDocuments, catalogPage, healthPaths, jsonPage, securityTxtPage } from '../api/well-known.ts';
import type { Access, House } from '../compose.ts';
import { hostFromHere } from '../config/public-url.ts';
import { apiVersion } from '../config/version.ts';
import type { LedgerWatch } from '../ledger/ledger-watch.ts';
import { operations } from '../operations.ts';
import { problemPages } from '../portal/problem-pages.ts';
import { referencePage } from '../portal/reference-page.ts';
import { icon, style } from '../portal/style.ts';
import type { Edge } from './access.ts';
import { createReadiness } from './readiness.ts';

/** Who may come in, and the documents that tell how. */
export type Front = {
  readonly gate: Gate;
  readonly pages: readonly Page[];
  readonly mounts: readonly Mount[];
  issueAccessToken(clientId: string, wanted: readonly string[]): Promise<string>;
  forget(): void;
};

/** What the front is made of, beside the house. */
export type FrontParts = {
  readonly publicUrl: string;
  readonly edge: Edge;
  readonly watch: LedgerWatch;
  /** Whether what the mode of running brings along is there; without it there is nothing to wait for. */
  readonly isPrepared?: (() => boolean) | undefined;
};

/** Makes the front of a process: its gate, its token endpoint, its public documents. */
export function createFront(house: House, access: Access, parts: FrontParts): Front {
  const { publicUrl, edge, watch, isPrepared = () => true } = parts;
  const { clock, random, settings, db, log } = house;
  const isUp = createReadiness(house);
  const { keys, clients } = access;
  const { trustedIssuers, clientSecrets, securityContact, supportEmail, termsUrl, documentLimit } = settings;
  const onFault = (fault: Error) => log.fault('trusted-issuer', fault);
  const trusted = trustedIssuers.map((issuer) => createTrustedIssuer(issuer, fetch, clock, onFault));
  const checker = createTokenChecker({ clock, publicUrl, keys, clients, trusted, binding: edge.binding });
  const authorization = createAuthorizationServer({
    ...{ db, clock, random, publicUrl, scopes, trustedIssuers, keys, secrets: clientSecrets === true, ...edge },
    report: (fault) => log.fault('token', fault),
  });
  const site = { publicUrl, scopes, trustedIssuers };
  const isReady = async () => {
    const { alarms } = watch.state();
    return { up: isPrepared() && (await isUp()), ledger: alarms.length === 0 ? ('ok' as const) : alarms };
  };
  return {
    gate: {
      authenticate: (header, needed, shown) =>
        checker.authenticate(header, needed === 'any' ? undefined : needed, shown),
      missingScope: checker.missingScope,
      enter: createClientPlaces(loadLimits.ofClient).enter,
      take: (caller, needed) => {
        const refusal = edge.failedChecks.refusal(caller.clientId);
        return refusal === undefined ? edge.quotas.take(caller, needed) : { headers: {}, refusal };
      },
      failed: edge.failedChecks.count,
    },
    pages: [
      ...apiDocuments(operations, { publicUrl, apiVersion, supportEmail, termsUrl, documentLimit }, isReady),
      jsonPage('/.well-known/oauth-protected-resource/v1', protectedResourceMetadata(site)),
      catalogPage(apiCatalog(publicUrl)),
      ...(securityContact === undefined
        ? []
        : [securityTxtPage(clock, (expires) => securityTxt(publicUrl, securityContact, expires))]),
      referencePage(operations, publicUrl),
      ...problemPages,
      style,
      icon,
    ],
    mounts: authorization.places.map((place) => ({ ...place, handler: authorization.handler })),
    issueAccessToken: authorization.issueAccessToken,
    forget: checker.forget,
  };
}

/** Tells operators how this process is; gives where, and what ends that. */
export async function startAdmin({ settings }: House, front: Front, metrics: Page) {
  const { adminHost: host, adminPort } = settings;
  const server = createAdminServer();
  const health = front.pages.filter(({ path }) => healthPaths.includes(path));
  const port = await server.listen({ host, port: adminPort }, [metrics, ...health]);
  return { url: `http://${hostFromHere(host)}:${port}`, stop: server.close };
}
