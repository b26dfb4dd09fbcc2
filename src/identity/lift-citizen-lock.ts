import { type Read, WriteRefused } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { Actor } from '../ledger/ledger-event.ts';
import { findCitizenLock, replaceCitizenLock } from './register/citizen-lock-store.ts';
import type { IdentityPorts } from './verification/ports.ts';

type LiftDeps = {
  readonly read: Read;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly actor: Actor;
  readonly notifyLockChange: NonNullable<IdentityPorts['lockChangeNotice']>;
};

/**
 * Removes the lock that a citizen set, and sends the citizen a message with the reason. `changed`: the citizen changed the lock at the
 * same time, and nothing was stored.
 */
export async function liftCitizenLock(
  { read, commit, clock, createId, actor, notifyLockChange }: LiftDeps,
  { citizenId, reason }: { readonly citizenId: string; readonly reason: string },
): Promise<'lifted' | 'unknown-citizen' | 'not-locked' | 'changed'> {
  const before = await findCitizenLock(read, citizenId);
  if (before === undefined) return 'unknown-citizen';
  if (!before.locked) return 'not-locked';
  const head = { id: createId('event'), at: clock.now(), actor };
  const change = { citizenId, locked: false, reason };
  const notification = await notifyLockChange(change, { now: head.at, createId });
  try {
    await commit({
      events: [{ type: 'own-lock.lifted', ...head, citizenId, reason }, ...notification.events],
      statements: [replaceCitizenLock(citizenId, before, { ...before, locked: false }), ...notification.statements],
    });
    return 'lifted';
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return 'changed';
    throw fault;
  }
}
