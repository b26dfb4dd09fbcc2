import type { StaffMember } from '../auth/caller.ts';
import type { Read } from '../db/database.ts';
import { normaliseClaims } from '../identity/match/comparable.ts';
import { measureRecord } from '../identity/match/compare.ts';
import { isConfirmed } from '../identity/match/level.ts';
import { standardPolicy3 } from '../identity/match/policy.ts';
import type { ClaimName, Claims } from '../identity/register/claims.ts';
import { candidateSearch } from '../identity/verification/candidate-search.ts';
import { parseId } from '../kernel/id.ts';
import type { Notification } from '../notifications/notification/notification.ts';
import {
  findNotificationPage,
  findNotificationsOfCitizen,
} from '../notifications/notification/notification-list-store.ts';
import { findNotification } from '../notifications/notification/notification-store.ts';
import type { LookUpBody } from './look-up.ts';
import type { StaffPorts } from './ports.ts';

/** The most citizens that a look-up returns. */
export const maxHits = 5;

type FindDeps = { readonly read: Read; readonly ports: Pick<StaffPorts, 'register'> };

/** The ids of the citizens of a look-up, up to one more than `maxHits`. Messages of other services find nobody. */
export async function findCitizens(deps: FindDeps, body: LookUpBody, member: StaffMember): Promise<readonly string[]> {
  const { notificationId, messageReference, citizenId, claims } = body;
  const { service } = member;
  if (notificationId !== undefined) {
    const found = await findVisibleNotification(deps.read, notificationId, service);
    return found === undefined ? [] : [found.citizenId];
  }
  if (messageReference !== undefined)
    return service === null ? [] : await citizensOfReference(deps.read, service, messageReference);
  if (citizenId !== undefined) return (await isKnown(deps, citizenId)) ? [citizenId] : [];
  return claims === undefined ? [] : await citizensByClaims(deps.ports, claims);
}

/** A notification of the person's service. A person without a service sees none, even if the token has the scopes. */
export async function findVisibleNotification(
  read: Read,
  text: string,
  service: string | null,
): Promise<Notification | undefined> {
  const id = parseId('notification', text);
  const found = id === undefined ? undefined : await findNotification(read, id);
  return found?.clientId === service ? found : undefined;
}

async function citizensOfReference(read: Read, clientId: string, reference: string): Promise<readonly string[]> {
  const none = { citizenId: undefined, status: undefined, from: undefined, before: undefined, position: undefined };
  const found = await findNotificationPage(read, { ...none, clientId, reference }, 50);
  return [...new Set(found.map(({ citizenId }) => citizenId))].slice(0, maxHits + 1);
}

async function isKnown({ read, ports }: FindDeps, citizenId: string): Promise<boolean> {
  if (await ports.register.exists(citizenId)) return true;
  return (await findNotificationsOfCitizen(read, { citizenId, clientId: null, limit: 1 })).length > 0;
}

/** The citizens for whom every claim matches the register. */
async function citizensByClaims({ register }: FindDeps['ports'], given: Claims): Promise<readonly string[]> {
  const claims = normaliseClaims(given);
  const candidates = await register.search({ ...candidateSearch(claims, standardPolicy3), anyName: true });
  const names = Object.keys(given) as ClaimName[];
  const confirmed = candidates.filter((record) => {
    const { levels } = measureRecord(record, claims, standardPolicy3);
    return names.every((claim) => isConfirmed(levels[claim]));
  });
  return confirmed.slice(0, maxHits + 1).map(({ citizenId }) => citizenId);
}
