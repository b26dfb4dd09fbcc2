import { type ApiServer, createApiServer, type Mount, type Page } from './api/server.ts';
import { isShared, type Seat } from './api/spread.ts';
import { tryPort } from './api/try-port.ts';
import type { Edge } from './compose/access.ts';
import { confirmMounts, providerCallbacks } from './compose/channels.ts';
import type { Front } from './compose/front.ts';
import type { Ledger } from './compose/ledger.ts';
import { signInOf } from './compose/sign-in.ts';
import type { House } from './compose.ts';
import { apiVersion } from './config/version.ts';
import { scanningCommit } from './documents/scan-documents.ts';
import { wakingCommit } from './notifications/delivery/start-delivery.ts';
import { operations, type Ports } from './operations.ts';
import { ledgerPages } from './oversight/ledger-pages.ts';
import { missingPage } from './portal/missing-page.ts';
import { refusedPage } from './portal/received-page.ts';
import type { Wakes } from './thread-messages.ts';

/** What a server answers from, on an open house. */
type Site = {
  readonly publicUrl: string;
  readonly edge: Edge;
  readonly front: Front;
  readonly ledger: Ledger;
  readonly ports: Ports;
  readonly wakes: Wakes;
  /** Pages of the mode; in a thread that helps also those that the first thread answers for all, as those of its alarms. */
  readonly pages: readonly Page[];
  /** What a demo has besides. */
  readonly mounts: readonly Mount[];
  /** Among the threads that may listen on one port. */
  readonly seat: Seat;
};

/** Makes the server of the interface and its pages, which does not listen yet. */
export async function openServer(house: House, site: Site): Promise<ApiServer> {
  const { publicUrl, edge, front, ledger, ports, wakes, seat } = site;
  const { settings, random, log } = house;
  const served = {
    ...house,
    gate: front.gate,
    longestHiddenMs: settings.accessLogHiddenDays * 86_400_000,
    read: house.db.read,
    ports,
    printKey: house.root.derive('request-prints'),
    commit: scanningCommit(wakingCommit(house.commit, wakes.delivery), wakes.scanning),
  };
  const order = signInOf(settings);
  // Much to load for an installation without such pages.
  const citizens =
    order && (await import('./compose/citizen-pages.ts')).citizenSite(house, { publicUrl, served, order });
  return createApiServer({
    house: served,
    operations,
    pages: withPages(site.pages, [...front.pages, ...ledgerPages(ledger.view)]),
    mounts: [
      ...providerCallbacks(house),
      ...confirmMounts(house, ports),
      ...(citizens?.mounts ?? []),
      ...front.mounts,
      ...site.mounts,
    ],
    ...{ publicUrl, apiVersion, random, log },
    refusedPage: (request, refusal) =>
      refusedPage(request, refusal) ?? citizens?.refusedPage(request, refusal) ?? missingPage(request, refusal),
    seat: isShared(seat) ? seat : undefined,
    ...edge,
  });
}

/** Pages that are given take the place of one's own. */
function withPages(given: readonly Page[], own: readonly Page[]): readonly Page[] {
  const paths = new Set(given.map(({ path }) => path));
  return [...own.filter(({ path }) => !paths.has(path)), ...given];
}

type Place = { readonly host: string; readonly port: number };

/** Listens; of the threads that share the port the first looks whether another program has it. */
export async function listen(server: ApiServer, seat: Seat, { host, port }: Place): Promise<void> {
  if (isShared(seat) && seat.place === 0) await tryPort({ host, port });
  await server.listen(host, port);
}
