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
import { parseId } from '../kernel/id.ts';
import type { NotificationPorts } from '../notifications/ports.ts';
import { notifyLimitReached } from '../notifications/system-messages/notify-limit-reached.ts';
import { notifyLockChange } from '../notifications/system-messages/notify-lock-change.ts';
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
    limitReachedNotice: async (citizenId, { notBefore, ...by }) => {
      const contact = await notifications.contactOf(citizenId);
      const message = await notifyLimitReached({ ...by, ports: notifications }, { citizenId, contact, notBefore });
      return { events: [message.event], statements: message.statements };
    },
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
