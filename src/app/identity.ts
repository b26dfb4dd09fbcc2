import { Readable } from 'node:stream';
import type { OperationCall, RequestShape } from '../api/operation.ts';
import type { AccessLogDeps } from '../audit/access-log.ts';
import { SettingError } from '../config/settings.ts';
import type { Database } from '../db/database.ts';
import { createFrequencyCache } from '../identity/import/count-register.ts';
import type { MatchPolicy } from '../identity/match/policy.ts';
import { createPolicyCache, findPolicy, policyNames } from '../identity/policies/policy-store.ts';
import {
  deleteExpiredFailures,
  deleteExpiredVerifications,
} from '../identity/verification/delete-expired-verifications.ts';
import type { IdentityPorts } from '../identity/verification/ports.ts';
import { createResponsePadding } from '../identity/verification/response-padding.ts';
import { findExplanation } from '../identity/verification/verification-store.ts';
import {
  createVerificationLimiter,
  defaultVerificationLimits,
} from '../identity/verification-limit/verification-limiter.ts';
import { type RepeatingTask, repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import { blockingSleep } from '../jobs/timer.ts';
import { formatInstant } from '../kernel/clock.ts';
import { parseId } from '../kernel/id.ts';
import type { Effect } from '../ledger/commit.ts';
import type { NotificationPorts } from '../notifications/ports.ts';
import { phrasesFor } from '../notifications/rendering/phrases-by-language.ts';
import { sendNotification } from '../notifications/send-notification.ts';
import { notifyLockChange } from '../notifications/system-messages/notify-lock-change.ts';
import { systemClient } from '../notifications/system-messages/system-message.ts';
import type { AppContext, AuthContext } from './app-context.ts';

type PolicyDeps = Pick<AppContext, 'settings'> & { readonly db: Pick<Database, 'read'> };

/** The policy of clients that have none of their own; a name that nobody knows stops the start. */
export async function loadDefaultPolicy({ settings, db }: PolicyDeps): Promise<MatchPolicy> {
  const policy = await findPolicy(db.read, settings.verifyPolicy);
  if (policy !== undefined) return policy;
  const known = (await policyNames(db.read)).join(', ');
  const came = JSON.stringify(settings.verifyPolicy);
  throw new SettingError(
    'VERIFY_POLICY',
    `expected one of ${known}, or one that \`policies add FILE\` has stored, ${came} came`,
  );
}

/** How old what was counted of the register may be before it is read again. */
const countedForMs = 600_000;

/** What keeps verification from being an oracle, the policies by which it decides, and how often names are. */
export async function createIdentityPorts(
  app: AppContext,
  access: AuthContext,
  notifications: NotificationPorts,
): Promise<
  Pick<
    IdentityPorts,
    | 'frequencies'
    | 'verificationLimiter'
    | 'limitReachedNotice'
    | 'startResponsePadding'
    | 'policyOf'
    | 'lockChangeNotice'
  >
> {
  const { settings, db, clock, timer } = app;
  const defaultPolicy = await loadDefaultPolicy(app);
  const policyNamed = createPolicyCache(db.read);
  // Another register counts for itself: what stands in our own tables says nothing about it.
  const frequencies =
    settings.registerUrl === undefined ? await createFrequencyCache(db.read, clock, countedForMs) : undefined;
  return {
    ...(frequencies === undefined ? {} : { frequencies: frequencies }),
    verificationLimiter: createVerificationLimiter(db.read, app.claim, defaultVerificationLimits),
    limitReachedNotice: async (citizenId, by) =>
      await createLimitReachedNotice(app, notifications, { citizenId, ...by }),
    ...(settings.registerUrl === undefined ? { lockChangeNotice: createLockNotifier(app, notifications) } : {}),
    startResponsePadding: createResponsePadding(settings.verifyQuantumMs, {
      stopwatch: () => performance.now(),
      timer,
      blockingSleep: blockingSleep,
    }),
    policyOf: (clientId) => {
      const name = access.clients.get(clientId)?.policy;
      return name === undefined ? defaultPolicy : policyNamed(name);
    },
  };
}

/** Explains to citizens how checks of their details were answered; an id that is none was never asked about. */
export function createVerificationExplainer({
  db,
  citizenKeys,
  clock,
}: Pick<AppContext, 'db' | 'citizenKeys' | 'clock'>): AccessLogDeps['explanationOf'] {
  const parts = { read: db.read, citizenKeys, clock };
  return async (verification, citizenId) => {
    const id = parseId('verification', verification);
    return id === undefined ? undefined : await findExplanation(parts, id, citizenId);
  };
}

/** Tells citizens, in their language, that their own lock was changed. */
export function createLockNotifier(
  { citizenKeys, random }: Pick<AppContext, 'citizenKeys' | 'random'>,
  { contactOf, cascade }: Pick<NotificationPorts, 'contactOf' | 'cascade'>,
): NonNullable<IdentityPorts['lockChangeNotice']> {
  const ports = { citizenKeys, random, cascade };
  return async (change, by) => {
    const contact = await contactOf(change.citizenId);
    const notification = await notifyLockChange({ ...by, ports }, { ...change, contact });
    return { events: [notification.event], statements: notification.statements };
  };
}

const dayMs = 86_400_000;
const cleanupEveryMs = 3_600_000;

/** Takes out, soon and then each hour, what verification need not keep any longer. */
export function startCleanupJob({
  db,
  clock,
  isClockSure,
  timer,
  claim,
  random,
  log,
  settings,
}: AppContext): RepeatingTask {
  return repeatEvery({
    timer,
    everyMs: cleanupEveryMs,
    firstMs: startupDelayMs(random),
    onFault: (fault) => log.fault('identity', fault),
    call: async () => {
      if (!(await isClockSure())) return;
      const now = clock.now();
      await deleteExpiredFailures(claim, now);
      await deleteExpiredVerifications({ read: db.read, claim, before: now - settings.verificationsKeptDays * dayMs });
    },
  });
}

/** An official message of the house in the language of its citizen, made by the operation that makes all of them. */
async function createLimitReachedNotice(
  app: AppContext,
  ports: NotificationPorts,
  about: { readonly citizenId: string } & Parameters<IdentityPorts['limitReachedNotice']>[1],
): Promise<Effect> {
  const { now, mint, citizenId, notBefore } = about;
  const contact = await ports.contactOf(citizenId);
  const { language, failedVerifications } = phrasesFor(contact?.language);
  const { subject, paragraphs } = failedVerifications;
  const message = paragraphs.join('\n\n');
  const sendAt = notBefore && { sendAt: formatInstant(notBefore) };
  const call = {
    params: undefined,
    query: undefined,
    headers: undefined,
    body: { citizenId, subject, message, language, category: 'information', ...sendAt },
    caller: { clientId: systemClient, scopes: new Set(['notifications:send']) },
    method: 'POST',
    ...{ now, mint, ports: { ...ports, contactOf: async () => contact, allowLongDelay: true }, read: app.db.read },
    bytes: Readable.from([]),
    signal: new AbortController().signal,
  };
  // The listed operation has forgotten the shape of its request; the body is what its schema asks for.
  const decision = await sendNotification.run(call as unknown as OperationCall<RequestShape, NotificationPorts>);
  if ('effect' in decision && decision.effect !== undefined) return decision.effect;
  throw new Error('the notice of guesses was refused by the operation that sends it');
}
