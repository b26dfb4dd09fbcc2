import { type ApiServer, createApiServer, type MountedHandler, type PageRoute } from '../api/api-server.ts';
import { isSharedPort, type WorkerSlot } from '../api/connection-balancer.ts';
import { probePort } from '../api/probe-port.ts';
import { ledgerPages } from '../audit/ledger-pages.ts';
import { apiVersion } from '../config/version.ts';
import { browserNotFoundPage } from '../web/not-found-page.ts';
import { refusedPage } from '../web/receipt-page.ts';
import type { AppContext } from './app-context.ts';
import type { LedgerView } from './ledger.ts';
import { providerWebhooks, receiptPageMounts } from './notification-channels.ts';
import { operations, type Ports } from './operations.ts';
import type { PublicEndpoint } from './public-endpoint.ts';
import { signInConfigOf } from './sign-in.ts';
import type { TransportSecurity } from './transport-security.ts';

/** What a server answers from, on an open house. */
type ServerOptions = {
  readonly publicUrl: string;
  readonly transport: TransportSecurity;
  readonly endpoint: PublicEndpoint;
  readonly ledger: LedgerView;
  readonly ports: Ports;
  /** Pages of the mode; in a thread that helps also those that the first thread answers for all, as those of its alarms. */
  readonly pages: readonly PageRoute[];
  /** What a demo has besides. */
  readonly mounts: readonly MountedHandler[];
  /** Among the threads that may listen on one port. */
  readonly seat: WorkerSlot;
};

/** Makes the server of the interface and its pages, which does not listen yet. */
export async function openServer(app: AppContext, site: ServerOptions): Promise<ApiServer> {
  const { publicUrl, transport, endpoint, ledger, ports, seat } = site;
  const { settings, random, log } = app;
  const context = {
    ...app,
    authorizer: endpoint.authorizer,
    maxConcealmentMs: settings.accessLogHiddenDays * 86_400_000,
    read: app.db.read,
    ports,
    fingerprintKey: app.root.derive('request-prints'),
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
    seat: isSharedPort(seat) ? seat : undefined,
    ...transport,
  });
}

/** Pages that are given take the place of one's own. */
function overridePages(given: readonly PageRoute[], own: readonly PageRoute[]): readonly PageRoute[] {
  const paths = new Set(given.map(({ path }) => path));
  return [...own.filter(({ path }) => !paths.has(path)), ...given];
}

type ListenTarget = { readonly host: string; readonly port: number };

/** Listens; of the threads that share the port the first looks whether another program has it. */
export async function listen(server: ApiServer, seat: WorkerSlot, { host, port }: ListenTarget): Promise<void> {
  if (isSharedPort(seat) && seat.index === 0) await probePort({ host, port });
  await server.listen(host, port);
}
