import { createHostCheck } from '../api/admin-server.ts';
import { type ApiServer, createApiServer } from '../api/api-server.ts';
import type { DispatchContext } from '../api/dispatch.ts';
import { describeEndpoints } from '../api/endpoint-register.ts';
import type { BoundOperation, ListedOperation } from '../api/operation.ts';
import type { MountedHandler, PageRoute } from '../api/page-route.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import type { Slice } from '../api/slice.ts';
import type { TransportSecurity } from '../api/transport-security.ts';
import { createUseCounter, type UseCounter } from '../api/use-counter.ts';
import { createAudit } from '../audit/create-audit.ts';
import type { LedgerView } from '../audit/open-ledger.ts';
import { findClient } from '../auth/client-store.ts';
import { apiVersion } from '../config/version.ts';
import { createDocuments } from '../documents/create-documents.ts';
import { createIdentity, type IdentitySlice } from '../identity/create-identity.ts';
import { createContactDetails } from '../identity/register/contact-details.ts';
import type { CascadePolicy } from '../notifications/cascade/cascade.ts';
import { createNotifications, type NotificationsSlice } from '../notifications/create-notifications.ts';
import { confirmLinksOf } from '../notifications/inbox/confirm-receipt.ts';
import { inboxLinkOf } from '../notifications/inbox/inbox-link.ts';
import type { ExternalChannels } from '../notifications/notification/channel.ts';
import { createStaff } from '../staff/create-staff.ts';
import { createClientActRecord } from '../staff/record-client-act.ts';
import { createWallet } from '../wallet/create-wallet.ts';
import { openWalletTrust } from '../wallet/trust/open-wallet-trust.ts';
import { createCookies } from '../web/browser-cookies.ts';
import { demoStatementsPage } from '../web/demo-statements.ts';
import { createBrowserNotFoundPage } from '../web/not-found-page.ts';
import { outboxPath } from '../web/outbox-page.ts';
import { createMailRefusalPage, type MailPageSite, mountReceiptPage } from '../web/receipt-page.ts';
import { signInConfigOf, staffSignInConfigOf } from '../web/sign-in-config.ts';
import { openSiteFrame } from '../web/site-frame.ts';
import { mountStartPage } from '../web/start-page.ts';
import { createUnavailablePage } from '../web/unavailable-page.ts';
import { mountWalletPage } from '../web/wallet-page.ts';
import type { AppContext, AuthContext } from './app-context.ts';
import { demoMarkOf } from './mode-settings.ts';
import { operations } from './operations.ts';
import { createPublicEndpoint, type PublicEndpoint } from './public-endpoint.ts';

/** The parts that `serve` has chosen or opened for the app of this process or thread. */
type CreateAppOptions = {
  readonly publicUrl: string;
  readonly auth: AuthContext;
  readonly transport: TransportSecurity;
  readonly ledger: LedgerView;
  readonly cascade: CascadePolicy;
  readonly channels?: ExternalChannels | undefined;
  /** Whether this is a thread that helps the first thread of its process. */
  readonly isHelper: boolean;
  /** Whether this is the demo, which anybody at this machine can use without signing in. */
  readonly isDemo: boolean;
  /** Pages that replace the app's own pages of the same path. */
  readonly pages: readonly PageRoute[];
  readonly mounts: readonly MountedHandler[];
  /** Whether other threads of this process listen on the same port. */
  readonly reusePort: boolean;
  /** Whether the demo has its data. Absent if the server need not wait for any. */
  readonly isPrepared?: (() => boolean) | undefined;
};

/** The slices, and the HTTP server that calls them. Nothing listens and no job runs yet. */
export type App = {
  readonly slices: readonly Slice[];
  readonly endpoint: PublicEndpoint;
  readonly server: ApiServer;
};

/** Creates the slices and the HTTP server. */
export async function createApp(context: AppContext, options: CreateAppOptions): Promise<App> {
  const useCounter = createUseCounter({ ...context, onFault: (fault) => context.log.fault('client-use', fault) });
  const slices = await createSlices(context, options, useCounter);
  const { documents, notifications, identity, audit, staff, wallet } = slices;
  const endpoint = createPublicEndpoint(context, options.auth, {
    ...options,
    demo: options.isDemo ? demoMarkOf(context.settings) : undefined,
    watch: options.ledger.watch,
  });
  const server = await createServer(context, options, { ...slices, endpoint, useCounter });
  const stop = async (deadlineMs: number) => {
    await server.stop(deadlineMs);
    await useCounter.flush();
  };
  return { slices: [documents, notifications, identity, audit, staff, wallet], endpoint, server: { ...server, stop } };
}

/** Creates each slice, with the functions that it needs of the others. */
async function createSlices(context: AppContext, options: CreateAppOptions, useCounter: UseCounter) {
  const { db, register } = context;
  const { publicUrl, ledger } = options;
  const { clients, keys } = options.auth;
  const documents = await createDocuments({
    ...context,
    citizenExists: (citizenId) => register.exists(citizenId),
    granteeOf: async (clientId) => {
      const client = await findClient(db.read, clientId);
      return client?.disabledAt === undefined ? client : undefined;
    },
    responseKey: () => keys.current('evidence'),
  });
  const notifications = await createNotifications({
    ...context,
    publicUrl,
    clients,
    cascade: options.cascade,
    channels: options.channels,
    isHelper: options.isHelper,
    registeredContactOf: createContactDetails(register, context.settings),
    attachmentTitle: documents.attachmentTitle,
    evidenceKey: () => keys.current('evidence'),
  });
  const identity = await createIdentity({
    ...context,
    publicUrl,
    clients,
    resultKey: () => keys.current('result'),
    limitReachedNotice: notifications.notices.limitReached,
    lockChangeNotice: notifications.notices.lockChanged,
  });
  const clientUse = clientUsePorts(options, useCounter, notifications);
  const audit = createAudit({
    ...context,
    ...clientUse,
    ledger,
    endpoints: describeEndpoints(operations),
    isErasureOf: documents.isErasureOf,
    explanationOf: identity.explanationOf,
    organisationOf: notifications.organisationOf,
    ownDocumentOf: documents.ownDocumentOf,
    ownMessageOf: notifications.ownMessageOf,
    purposeTextOf: notifications.purposeTextOf,
  });
  const staff = createStaffSlice(context, options, { notifications, audit, clientUse });
  const wallet = await createWalletSlice(context, options, { notifications, identity });
  return { documents, notifications, identity, audit, staff, wallet };
}

async function createWalletSlice(
  context: AppContext,
  { publicUrl, isDemo, auth }: CreateAppOptions,
  { notifications, identity }: { readonly notifications: NotificationsSlice; readonly identity: IdentitySlice },
) {
  return createWallet({
    ...context,
    publicUrl,
    trust: await openWalletTrust({ ...context, publicUrl, isDemo }),
    plan: identity.planPresentedClaims,
    decide: identity.decidePresentedClaims,
    readResult: identity.readResult,
    registrationCertificateOf: auth.clients.registrationCertificateOf,
    feedEvent: notifications.presentationFeedEvent,
  });
}

function createStaffSlice(
  context: AppContext,
  { auth, ledger }: CreateAppOptions,
  { notifications, audit, clientUse }: StaffParts,
) {
  return createStaff({
    ...context,
    ...clientUse,
    ledger,
    registeredContactOf: createContactDetails(context.register, context.settings),
    organisationOf: notifications.organisationOf,
    purposeTextOf: notifications.purposeTextOf,
    clients: auth.clients,
    notifyLockChange: notifications.notices.lockChanged,
    previewBatch: notifications.previewBatch,
    serviceOperations: [...notifications.operations, ...audit.operations],
    eraseCitizen: eraseCitizenWith(context),
  });
}

type StaffParts = {
  readonly notifications: NotificationsSlice;
  readonly audit: Slice;
  readonly clientUse: ReturnType<typeof clientUsePorts>;
};

/** The functions of a slice that shows what clients have used. */
function clientUsePorts(
  { transport }: Pick<CreateAppOptions, 'transport'>,
  { flush }: UseCounter,
  { webhookCountOf }: Pick<NotificationsSlice, 'webhookCountOf'>,
) {
  return { storeUse: flush, remainingQuota: transport.quotas.remaining, webhookCountOf };
}

function eraseCitizenWith(context: AppContext): Parameters<typeof createStaff>[0]['eraseCitizen'] {
  return async (citizenId, { commit, ...erasure }) => {
    const { eraseWholeCitizen, loadErasureDeps } = await import('./erasure.ts');
    return await eraseWholeCitizen({ ...(await loadErasureDeps(context)), commit }, citizenId, erasure);
  };
}

type ServerParts = Awaited<ReturnType<typeof createSlices>> & {
  readonly endpoint: PublicEndpoint;
  readonly useCounter: UseCounter;
};

/** Creates the HTTP server of the operations, the pages and the mounted handlers. */
async function createServer(
  context: AppContext,
  options: CreateAppOptions,
  { documents, notifications, identity, audit, staff, wallet, endpoint, useCounter }: ServerParts,
): Promise<ApiServer> {
  const { settings, random, log } = context;
  const { publicUrl, transport, reusePort } = options;
  const boundOperation = pairOperations(operations, [documents, notifications, identity, audit, staff, wallet]);
  const dispatchContext: DispatchContext = {
    authorizer: endpoint.authorizer,
    clock: context.clock,
    createId: context.createId,
    read: context.db.read,
    commit: context.commit,
    maxConcealmentMs: settings.accessLogHiddenDays * 86_400_000,
    clientActStatements: createClientActRecord({ ...context, organisationOf: notifications.organisationOf }),
    fingerprintKey: context.root.derive('request-prints'),
    countUse: useCounter.count,
  };
  const webPages = await openWebPages(context, options, {
    context: dispatchContext,
    boundOperation,
    documents,
    notifications,
    wallet,
  });
  return createApiServer({
    app: dispatchContext,
    operations: operations.map(boundOperation),
    pages: overridePages(options.pages, [...endpoint.pages, ...audit.pages, ...webPages.pages]),
    mounts: [...notifications.mounts, ...wallet.mounts, ...webPages.mounts, ...endpoint.mounts, ...options.mounts],
    publicUrl,
    apiVersion,
    random,
    log,
    refusedPage: webPages.refusedPage,
    reusePort,
    // The demo listens on loopback only. Its pages show every mail, and let the visitor choose a citizen.
    isOwnHost: options.isDemo ? createHostCheck(new URL(publicUrl).hostname, '127.0.0.1') : undefined,
    ...transport,
  });
}

type WebPageParts = {
  readonly context: DispatchContext;
  readonly boundOperation: (operation: ListedOperation) => BoundOperation;
  readonly documents: ServerParts['documents'];
  readonly notifications: ServerParts['notifications'];
  readonly wallet: ServerParts['wallet'];
};

/** Opens the start page, the page of confirmation links and, with a sign-in, the pages of citizens. */
async function openWebPages(context: AppContext, options: CreateAppOptions, parts: WebPageParts) {
  const { documents, notifications, wallet } = parts;
  const { publicUrl } = options;
  const demo = options.isDemo ? demoMarkOf(context.settings) : undefined;
  const { frame, pages } = openSiteFrame(context.settings, demo);
  const site = { frame, cookies: createCookies(publicUrl) };
  const signInConfig = signInConfigOf(context.settings);
  const pageOptions = {
    ...parts,
    publicUrl,
    frame,
    organisationOf: notifications.organisationOf,
    citizenNameOf: async (citizenId: string) => (await context.register.contactOf(citizenId))?.name,
    statedLanguageOf: notifications.statedLanguageOf,
    unreadCountOf: notifications.unreadCountOf,
    ownFileOf: documents.ownFileOf,
    pendingNoticeOf: notifications.pendingNoticeOf,
  };
  // Loaded only by an installation that has these pages.
  const citizenPages =
    signInConfig &&
    (await import('../web/open-citizen-pages.ts')).openCitizenPages(context, { ...pageOptions, signInConfig });
  const staffSignIn = staffSignInConfigOf(context.settings);
  const staffMounts =
    staffSignIn &&
    (await import('../web/staff/open-staff-pages.ts')).openStaffPages(context, {
      ...pageOptions,
      signInConfig: staffSignIn,
    });
  const hasOutbox = options.pages.some(({ path }) => path === outboxPath);
  const mailRefusalPage = createMailRefusalPage(site);
  const unavailablePage = createUnavailablePage(site);
  const notFoundPage = createBrowserNotFoundPage(demo);
  const refusedPage: RefusedPage = (request, refusal) =>
    mailRefusalPage(request, refusal) ??
    citizenPages?.refusedPage(request, refusal) ??
    unavailablePage(request, refusal) ??
    notFoundPage(request, refusal);
  return {
    pages: demo === undefined ? pages : [...pages, demoStatementsPage(demo)],
    refusedPage,
    mounts: [
      mountStartPage({
        ...site,
        publicUrl,
        hasOutbox,
        hasCitizenPages: citizenPages !== undefined,
        hasStaffPages: staffMounts !== undefined,
      }),
      ...receiptPageMounts(context, notifications, { site, publicUrl }),
      ...walletPageMounts(context, { pages: wallet.pages, site, publicUrl, notifications }),
      ...(citizenPages?.mounts ?? []),
      ...(staffMounts ?? []),
    ],
  };
}

type WalletPageParts = {
  readonly pages: ServerParts['wallet']['pages'];
  readonly site: MailPageSite;
  readonly publicUrl: string;
  readonly notifications: Pick<NotificationsSlice, 'organisationOf' | 'purposeTextOf'>;
};

function walletPageMounts(
  { log }: AppContext,
  { pages, site, publicUrl, notifications }: WalletPageParts,
): readonly MountedHandler[] {
  if (pages === undefined) return [];
  const { organisationOf, purposeTextOf } = notifications;
  const onFault = (fault: unknown) => log.fault('wallet-page', fault);
  return [mountWalletPage({ pages, site, publicUrl, organisationOf, purposeTextOf, onFault })];
}

/** A bug: no slice binds a listed operation, or a slice binds an operation that is not listed. */
class OperationMismatch extends Error {
  override readonly name = 'OperationMismatch';
}

/** Returns a function that finds the bound form of a listed operation. Throws if an operation is only listed, or only bound. */
export function pairOperations(
  listed: readonly ListedOperation[],
  slices: readonly Pick<Slice, 'operations'>[],
): (operation: ListedOperation) => BoundOperation {
  const bound = new Map(slices.flatMap((slice) => slice.operations.map((one) => [one.operation, one] as const)));
  const boundOperation = (operation: ListedOperation) => {
    const found = bound.get(operation);
    if (found === undefined) throw new OperationMismatch(`no slice binds ${operation.name}`);
    return found;
  };
  listed.forEach(boundOperation);
  for (const operation of bound.keys())
    if (!listed.includes(operation)) throw new OperationMismatch(`${operation.name} is missing in operations.ts`);
  return boundOperation;
}

/** The page on which citizens confirm the receipt of mail. */
function receiptPageMounts(
  context: AppContext,
  { senderOf, calendar }: Pick<NotificationsSlice, 'senderOf' | 'calendar'>,
  options: { readonly site: MailPageSite; readonly publicUrl: string },
): readonly MountedHandler[] {
  const links = confirmLinksOf(context);
  const onFault = (fault: unknown) => context.log.fault('received', fault);
  if (links === undefined) return [];
  const inboxLink = inboxLinkOf(context.settings);
  const deps = { ...context, read: context.db.read, senderOf, calendar, inboxLink, ...options, onFault };
  return [mountReceiptPage(deps, links)];
}

function overridePages(given: readonly PageRoute[], own: readonly PageRoute[]): readonly PageRoute[] {
  const paths = new Set(given.map(({ path }) => path));
  return [...own.filter(({ path }) => !paths.has(path)), ...given];
}
