import { type ApiServer, createApiServer } from '../api/api-server.ts';
import type { MountedHandler, PageRoute } from '../api/page-route.ts';
import { ledgerPages } from '../audit/ledger-pages.ts';
import { apiVersion } from '../config/version.ts';
import { commitAndWakeScanner } from '../documents/scan/scan-documents.ts';
import { wakeOnAccepted } from '../notifications/delivery/start-delivery.ts';
import { browserNotFoundPage } from '../web/not-found-page.ts';
import { refusedPage } from '../web/receipt-page.ts';
import type { AppContext } from './app-context.ts';
import type { LedgerView } from './ledger.ts';
import { providerWebhooks, receiptPageMounts } from './notification-channels.ts';
import { operations, type Ports } from './operations.ts';
import type { PublicEndpoint } from './public-endpoint.ts';
import { signInConfigOf } from './sign-in.ts';
import type { WakeNotifications } from './threads/thread-messages.ts';
import type { TransportSecurity } from './transport-security.ts';

/** What a server answers from, on an open house. */
type ServerOptions = {
  readonly publicUrl: string;
  readonly transport: TransportSecurity;
  readonly endpoint: PublicEndpoint;
  readonly ledger: LedgerView;
  readonly ports: Ports;
  readonly wakeNotifications: WakeNotifications;
  /** Pages of the mode; in a thread that helps also those that the first thread answers for all, as those of its alarms. */
  readonly pages: readonly PageRoute[];
  /** What a demo has besides. */
  readonly mounts: readonly MountedHandler[];
  /** Whether other threads of this process listen on the same port. */
  readonly reusePort: boolean;
};

/** Makes the server of the interface and its pages, which does not listen yet. */
export async function openServer(app: AppContext, site: ServerOptions): Promise<ApiServer> {
  const { publicUrl, transport, endpoint, ledger, ports, wakeNotifications, reusePort } = site;
  const { settings, random, log } = app;
  const context = {
    ...app,
    authorizer: endpoint.authorizer,
    maxConcealmentMs: settings.accessLogHiddenDays * 86_400_000,
    read: app.db.read,
    ports,
    fingerprintKey: app.root.derive('request-prints'),
    commit: commitAndWakeScanner(wakeOnAccepted(app.commit, wakeNotifications.delivery), wakeNotifications.scanning),
  };
  const signInConfig = signInConfigOf(settings);
  // Much to load for an installation without such pages.
  const citizens =
    signInConfig && (await import('./citizen-pages.ts')).createCitizenPages(app, { publicUrl, context, signInConfig });
  return createApiServer({
    app: context,
    operations,
    pages: overridePages(site.pages, [...endpoint.pages, ...ledgerPages(ledger.view)]),
    mounts: [
      ...providerWebhooks(app),
      ...receiptPageMounts(app, ports),
      ...(citizens?.mounts ?? []),
      ...endpoint.mounts,
      ...site.mounts,
    ],
    ...{ publicUrl, apiVersion, random, log },
    refusedPage: (request, refusal) =>
      refusedPage(request, refusal) ?? citizens?.refusedPage(request, refusal) ?? browserNotFoundPage(request, refusal),
    reusePort,
    ...transport,
  });
}

/** Pages that are given take the place of one's own. */
function overridePages(given: readonly PageRoute[], own: readonly PageRoute[]): readonly PageRoute[] {
  const paths = new Set(given.map(({ path }) => path));
  return [...own.filter(({ path }) => !paths.has(path)), ...given];
}
