import { Type } from 'typebox';
import { liftCitizenLock } from '../../identity/lift-citizen-lock.ts';
import { findCitizenLock } from '../../identity/register/citizen-lock-store.ts';
import { maxCitizenIdLength } from '../../kernel/id.ts';
import { singleLineSchemaPattern } from '../../kernel/single-line-text.ts';
import { defineProposable } from './proposable-operation.ts';

const noLock = 'The citizen has not locked their record.';

/** Removes the lock that a citizen set, and sends the citizen a message with the reason. */
export const proposableUnlock = defineProposable({
  name: 'liftCitizenLock',
  proposers: ['staff:support', 'staff:operate'],
  summary: 'Remove the lock that a citizen set on their record',
  input: Type.Object(
    {
      citizenId: Type.String({ minLength: 1, maxLength: maxCitizenIdLength }),
      messageToCitizen: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: singleLineSchemaPattern,
        description: 'The reason, which the message to the citizen contains.',
      }),
    },
    { additionalProperties: false },
  ),
  check: async ({ citizenId }, { read }) =>
    (await findCitizenLock(read, citizenId))?.locked === true ? { before: { locked: true } } : { fault: noLock },
  apply: async ({ citizenId, messageToCitizen: reason }, { ports, commitWith, ...context }) => {
    const deps = { ...context, commit: commitWith({ locked: false }), notifyLockChange: ports.notifyLockChange };
    const outcome = await liftCitizenLock(deps, { citizenId, reason });
    if (outcome === 'lifted') return undefined;
    return { fault: outcome === 'changed' ? 'The citizen changed the lock at the same time. Try again.' : noLock };
  },
});
