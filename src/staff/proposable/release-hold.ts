import { Type } from 'typebox';
import { releaseHold } from '../../documents/retention/legal-hold.ts';
import { findHold } from '../../documents/retention/retention-store.ts';
import { formatInstant } from '../../kernel/clock.ts';
import { parseId } from '../../kernel/id.ts';
import { defineProposable } from './proposable-operation.ts';

const noHold = 'There is no such hold, or it was already released.';

/** Releases a legal hold, after which documents may be erased again. */
export const proposableRelease = defineProposable({
  name: 'releaseHold',
  proposers: ['staff:operate'],
  summary: 'Release a legal hold',
  input: Type.Object({ hold: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  check: async ({ hold: text }, { read }) => {
    const id = parseId('hold', text);
    const hold = id === undefined ? undefined : await findHold(read, id);
    if (hold === undefined) return { fault: noHold };
    return { before: { hold: hold.id, placedAt: formatInstant(hold.placedAt), document: hold.documentId } };
  },
  apply: async ({ hold: text }, { read, clock, createId, actor, commitWith }) => {
    const id = parseId('hold', text);
    if (id === undefined) return { fault: noHold };
    const deps = { read, clock, createId, commit: commitWith({ hold: id, released: true }) };
    const { fault } = await releaseHold(deps, id, actor);
    return fault === undefined ? undefined : { fault: noHold };
  },
});
