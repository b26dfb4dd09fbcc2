import { createAdminServer } from '../api/admin-server.ts';
import type { Authorizer } from '../api/dispatch.ts';
import { loadLimits } from '../api/load-shedding.ts';
import { scopes } from '../api/operation.ts';
import type { MountedHandler, PageRoute } from '../api/page-route.ts';
import type { TransportSecurity } from '../api/transport-security.ts';
import { apiDocuments, catalogPage, healthPaths, jsonPage, securityTxtPage } from '../api/well-known.ts';
import { authMethodsOf } from '../auth/authenticate-client.ts';
import { createAuthorizationServer } from '../auth/authorization-server.ts';
import { createTokenChecker, type TokenChecker } from '../auth/check-token.ts';
import { createConcurrencyLimiter } from '../auth/concurrency-limiter.ts';
import { createFetchedClientKeys } from '../auth/fetched-client-keys.ts';
import { apiCatalog, protectedResourceMetadata, securityTxt } from '../auth/server-metadata.ts';
import { staffTokenRulesOf } from '../auth/staff-token.ts';
import { createTrustedIssuer } from '../auth/trusted-issuer.ts';
import { loopbackHostFor } from '../config/public-url.ts';
import { apiVersion } from '../config/version.ts';
import { monotonicClock } from '../kernel/system-clock.ts';
import type { LedgerHealth } from '../ledger/ledger-health.ts';
import { createPublicFetch } from '../net/fetch-public.ts';
import { targetRulesOf } from '../notifications/notification-jobs.ts';
import { guidePages } from '../web/guide-pages.ts';
import type { DemoMark } from '../web/page.ts';
import { presentationReasonPages } from '../web/presentation-reason-pages.ts';
import { problemPages } from '../web/problem-pages.ts';
import { referencePages } from '../web/reference-page.ts';
import { favicon, stylesheet } from '../web/stylesheet.ts';
import type { AppContext, AuthContext } from './app-context.ts';
import { operations } from './operations.ts';
import { createReadinessCheck } from './readiness.ts';

/** The authorizer of requests, the token endpoint, and the public documents that describe them. */
export type PublicEndpoint = {
  readonly authorizer: Authorizer;
  readonly pages: readonly PageRoute[];
  readonly mounts: readonly MountedHandler[];
  issueAccessToken(clientId: string, wanted: readonly string[]): Promise<string>;
  invalidateClients(): void;
};

type PublicEndpointDeps = {
  readonly publicUrl: string;
  readonly transport: TransportSecurity;
  readonly watch: LedgerHealth;
  /** Whether the demo has its data. Absent if the server need not wait for any. */
  readonly isPrepared?: (() => boolean) | undefined;
  /** The line that marks the pages of a demo. */
  readonly demo?: DemoMark | undefined;
};

function authorizerOf(checker: TokenChecker, transport: TransportSecurity): Authorizer {
  return {
    authenticate: (header, needed, shown) => checker.authenticate(header, needed === 'any' ? undefined : needed, shown),
    acquireSlot: createConcurrencyLimiter(loadLimits.perClient).acquire,
    takeQuota: (caller, needed) => {
      const refusal = transport.failedRequests.refusal(caller.clientId);
      return refusal === undefined ? transport.quotas.take(caller, needed) : { headers: {}, refusal };
    },
    chargeQuota: transport.quotas.charge,
    countFailure: transport.failedRequests.count,
  };
}

/** Creates the check of access tokens of this server, of trusted issuers and of the issuer of staff. */
function createChecker(app: AppContext, { keys, clients }: AuthContext, { publicUrl, transport }: PublicEndpointDeps) {
  const { clock, settings, log } = app;
  const onFault = (fault: Error) => log.fault('trusted-issuer', fault);
  const trusted = settings.trustedIssuers.map((issuer) => createTrustedIssuer(issuer, fetch, monotonicClock, onFault));
  const staffRules = staffTokenRulesOf(settings);
  const staff = staffRules && {
    issuer: createTrustedIssuer(staffRules.issuer, fetch, monotonicClock, onFault),
    rules: staffRules,
  };
  return createTokenChecker({ clock, publicUrl, keys, clients, trusted, staff, binding: transport.binding });
}

/** Creates the public endpoint of a process or thread. */
export function createPublicEndpoint(app: AppContext, access: AuthContext, deps: PublicEndpointDeps): PublicEndpoint {
  const { publicUrl, transport, watch, isPrepared = () => true, demo } = deps;
  const { clock, random, settings, db, log } = app;
  const isUp = createReadinessCheck(app);
  const { keys } = access;
  const { trustedIssuers, clientSecrets, securityContact, supportEmail, termsUrl, documentLimit } = settings;
  const checker = createChecker(app, access, deps);
  const authorization = createAuthorizationServer({
    ...transport,
    db,
    clock,
    random,
    publicUrl,
    scopes,
    trustedIssuers,
    keys,
    secrets: clientSecrets === true,
    clientKeys: createFetchedClientKeys({
      httpFetch: createPublicFetch(targetRulesOf(settings)),
      clock: monotonicClock,
      onFault: (fault) => log.fault('client-keys', fault),
    }),
    report: (fault) => log.fault('token', fault),
    onRefused: (refused) => log.notice('token refused', refused),
  });
  const authMethods = authMethodsOf(clientSecrets === true);
  const metadataOptions = { publicUrl, scopes, trustedIssuers };
  const isReady = async () => {
    const { alarms } = watch.state();
    return { up: isPrepared() && (await isUp()), ledger: alarms.length === 0 ? ('ok' as const) : alarms };
  };
  return {
    authorizer: authorizerOf(checker, transport),
    pages: [
      ...apiDocuments(
        operations,
        { publicUrl, apiVersion, supportEmail, termsUrl, documentLimit, authMethods },
        isReady,
      ),
      jsonPage('/.well-known/oauth-protected-resource/v1', protectedResourceMetadata(metadataOptions)),
      catalogPage(apiCatalog(publicUrl)),
      ...(securityContact === undefined
        ? []
        : [securityTxtPage(clock, (expires) => securityTxt(publicUrl, securityContact, expires))]),
      ...referencePages(operations, demo),
      ...guidePages(publicUrl, demo),
      ...problemPages(demo),
      ...presentationReasonPages(demo),
      stylesheet,
      favicon,
    ],
    mounts: authorization.routes.map((place) => ({ ...place, handler: authorization.handler })),
    issueAccessToken: authorization.issueAccessToken,
    invalidateClients: checker.invalidate,
  };
}

/** Starts the server of metrics and health checks for operators. */
export async function startAdmin({ settings }: AppContext, endpoint: PublicEndpoint, metrics: PageRoute) {
  const { adminHost: host, adminPort } = settings;
  const server = createAdminServer();
  const health = endpoint.pages.filter(({ path }) => healthPaths.includes(path));
  const port = await server.listen({ host, port: adminPort }, [metrics, ...health]);
  return { url: `http://${loopbackHostFor(host)}:${port}`, stop: server.close };
}
