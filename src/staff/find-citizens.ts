import type { StaffMember } from '../auth/caller.ts';
import type { Read } from '../db/database.ts';
import { normaliseClaims } from '../identity/match/comparable.ts';
import { measureRecord } from '../identity/match/compare.ts';
import { isConfirmed } from '../identity/match/level.ts';
import { standardPolicy3 } from '../identity/match/policy.ts';
import type { ClaimName, Claims } from '../identity/register/claims.ts';
import { candidateSearch } from '../identity/verification/candidate-search.ts';
import { parseId } from '../kernel/id.ts';
import {
  findNotificationPage,
  findNotificationsOfCitizen,
} from '../notifications/notification/notification-list-store.ts';
import { findNotification } from '../notifications/notification/notification-store.ts';
import type { LookUpTarget } from './look-up.ts';
import type { StaffPorts } from './ports.ts';

/** The most citizens that a look-up returns. */
export const maxHits = 5;

type FindDeps = { readonly read: Read; readonly ports: Pick<StaffPorts, 'register'> };

/** The ids of the citizens of a look-up, up to one more than `maxHits`. Messages of other services find nobody. */
export async function findCitizens(
  { read, ports }: FindDeps,
  target: LookUpTarget,
  { service, member }: { readonly service: string | undefined; readonly member: StaffMember },
): Promise<readonly string[]> {
  const clientId = member.service ?? service;
  switch (target.by) {
    case 'notificationId': {
      const id = parseId('notification', target.value);
      const found = id === undefined ? undefined : await findNotification(read, id);
      const isVisible = found !== undefined && (member.service === null || found.clientId === member.service);
      return isVisible ? [found.citizenId] : [];
    }
    case 'messageReference':
      return clientId === undefined ? [] : await citizensOfReference(read, clientId, target.value);
    case 'citizenId':
      return (await isKnown({ read, ports }, target.value)) ? [target.value] : [];
    case 'claims':
      return await citizensByClaims(ports, target.value);
  }
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

/** The people of whom the register confirms every claim. */
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
