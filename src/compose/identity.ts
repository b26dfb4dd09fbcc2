import { Readable } from 'node:stream';
import type { Call, RequestShape } from '../api/operation.ts';
import type { Access, House } from '../compose.ts';
import { SettingError } from '../config/settings.ts';
import { clearGuesses, clearVerifications } from '../identity/clear-verifications.ts';
import { createGuessBudget, standardGuessLimits } from '../identity/guess-budget.ts';
import type { Policy } from '../identity/match/policy.ts';
import { createPace } from '../identity/pace.ts';
import { createPolicyView, findPolicy, policyNames } from '../identity/policy-store.ts';
import type { IdentityPorts } from '../identity/ports.ts';
import { createFrequencyView } from '../identity/register-count.ts';
import { findExplanation } from '../identity/verification-store.ts';
import { type Repeating, repeat, soonMs } from '../jobs/repeat.ts';
import { systemNap } from '../jobs/timer.ts';
import { toInstant } from '../kernel/clock.ts';
import { parseId } from '../kernel/id.ts';
import type { Effect } from '../ledger/commit.ts';
import { houseClient } from '../notifications/house-message.ts';
import { tellOfLockChange } from '../notifications/lock-changed.ts';
import { phrasesOf } from '../notifications/phrases-by-language.ts';
import type { NotificationPorts } from '../notifications/ports.ts';
import { sendNotification } from '../notifications/send-notification.ts';
import type { AccessLogParts } from '../oversight/access-log.ts';
import type { Db } from '../store/db.ts';

type PolicyHouse = Pick<House, 'settings'> & { readonly db: Pick<Db, 'read'> };

/** The policy of clients that have none of their own; a name that nobody knows stops the start. */
export async function standingPolicy({ settings, db }: PolicyHouse): Promise<Policy> {
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
export async function identityPorts(
  house: House,
  access: Access,
  notifications: NotificationPorts,
): Promise<Pick<IdentityPorts, 'frequencies' | 'guesses' | 'noticeOfGuesses' | 'pace' | 'policyOf' | 'tellOfLock'>> {
  const { settings, db, clock, timer } = house;
  const standing = await standingPolicy(house);
  const policyNamed = createPolicyView(db.read);
  // Another register counts for itself: what stands in our own tables says nothing about it.
  const counted =
    settings.registerUrl === undefined ? await createFrequencyView(db.read, clock, countedForMs) : undefined;
  return {
    ...(counted === undefined ? {} : { frequencies: counted }),
    guesses: createGuessBudget(db.read, house.claim, standardGuessLimits),
    noticeOfGuesses: async (citizenId, by) => await noticeOfGuesses(house, notifications, { citizenId, ...by }),
    ...(settings.registerUrl === undefined ? { tellOfLock: lockTeller(house, notifications) } : {}),
    pace: createPace(settings.verifyQuantumMs, {
      stopwatch: () => performance.now(),
      timer,
      nap: systemNap,
    }),
    policyOf: (clientId) => {
      const name = access.clients.get(clientId)?.policy;
      return name === undefined ? standing : policyNamed(name);
    },
  };
}

/** Explains to citizens how checks of their details were answered; an id that is none was never asked about. */
export function explanations({
  db,
  citizenKeys,
  clock,
}: Pick<House, 'db' | 'citizenKeys' | 'clock'>): AccessLogParts['explanationOf'] {
  const parts = { read: db.read, citizenKeys, clock };
  return async (verification, citizenId) => {
    const id = parseId('verification', verification);
    return id === undefined ? undefined : await findExplanation(parts, id, citizenId);
  };
}

/** Tells citizens, in their language, that their own lock was changed. */
export function lockTeller(
  { citizenKeys, random }: Pick<House, 'citizenKeys' | 'random'>,
  { contactOf, cascade }: Pick<NotificationPorts, 'contactOf' | 'cascade'>,
): NonNullable<IdentityPorts['tellOfLock']> {
  const ports = { citizenKeys, random, cascade };
  return async (change, by) => {
    const contact = await contactOf(change.citizenId);
    const told = await tellOfLockChange({ ...by, ports }, { ...change, contact });
    return { events: [told.event], statements: told.statements };
  };
}

const dayMs = 86_400_000;
const clearEveryMs = 3_600_000;

/** Takes out, soon and then each hour, what verification need not keep any longer. */
export function startClearing({ db, clock, isClockSure, timer, claim, random, log, settings }: House): Repeating {
  return repeat({
    timer,
    everyMs: clearEveryMs,
    firstMs: soonMs(random),
    onFault: (fault) => log.fault('identity', fault),
    call: async () => {
      if (!(await isClockSure())) return;
      const now = clock.now();
      await clearGuesses(claim, now);
      await clearVerifications({ read: db.read, claim, before: now - settings.verificationsKeptDays * dayMs });
    },
  });
}

/** An official message of the house in the language of its citizen, made by the operation that makes all of them. */
async function noticeOfGuesses(
  house: House,
  ports: NotificationPorts,
  about: { readonly citizenId: string } & Parameters<IdentityPorts['noticeOfGuesses']>[1],
): Promise<Effect> {
  const { now, mint, citizenId, notBefore } = about;
  const contact = await ports.contactOf(citizenId);
  const { language, guesses } = phrasesOf(contact?.language);
  const { subject, paragraphs } = guesses;
  const message = paragraphs.join('\n\n');
  const sendAt = notBefore && { sendAt: toInstant(notBefore) };
  const call = {
    params: undefined,
    query: undefined,
    headers: undefined,
    body: { citizenId, subject, message, language, category: 'information', ...sendAt },
    caller: { clientId: houseClient, scopes: new Set(['notifications:send']) },
    method: 'POST',
    ...{ now, mint, ports: { ...ports, contactOf: async () => contact, mayWait: true }, read: house.db.read },
    bytes: Readable.from([]),
    signal: new AbortController().signal,
  };
  // The listed operation has forgotten the shape of its request; the body is what its schema asks for.
  const decision = await sendNotification.run(call as unknown as Call<RequestShape, NotificationPorts>);
  if ('effect' in decision && decision.effect !== undefined) return decision.effect;
  throw new Error('the notice of guesses was refused by the operation that sends it');
}
