import { Type } from 'typebox';
import type { Read } from '../../db/database.ts';
import { findDocument } from '../../documents/document-store.ts';
import { releaseHold } from '../../documents/retention/legal-hold.ts';
import { findHold, type LegalHold } from '../../documents/retention/retention-store.ts';
import { formatInstant } from '../../kernel/clock.ts';
import { parseId } from '../../kernel/id.ts';
import { defineProposable } from './proposable-operation.ts';

const noHold = 'There is no such hold, or it was already released.';
const otherService =
  'The hold is not on a document of your service. Ask an operator who works for all services to propose it.';

/** Releases a legal hold, after which documents may be erased again. */
export const proposableRelease = defineProposable({
  name: 'releaseHold',
  proposers: ['staff:support', 'staff:operate'],
  summary: 'Release a legal hold',
  input: Type.Object({ hold: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  check: async ({ hold: text }, { read, service }) => {
    const hold = await findReleasable(read, text, service);
    if ('fault' in hold) return hold;
    return { before: { hold: hold.id, placedAt: formatInstant(hold.placedAt), document: hold.documentId } };
  },
  apply: async ({ hold: text }, { read, clock, createId, service, actor, commitWith }) => {
    const hold = await findReleasable(read, text, service);
    if ('fault' in hold) return hold;
    const deps = { read, clock, createId, commit: commitWith({ hold: hold.id, released: true }) };
    const { fault } = await releaseHold(deps, hold.id, actor);
    return fault === undefined ? undefined : { fault: noHold };
  },
});

async function findReleasable(
  read: Read,
  text: string,
  service: string | null,
): Promise<LegalHold | { readonly fault: string }> {
  const id = parseId('hold', text);
  const hold = id === undefined ? undefined : await findHold(read, id);
  if (hold === undefined) return { fault: noHold };
  return service === null || (await isHoldOfService(read, hold, service)) ? hold : { fault: otherService };
}

/** Whether a hold is on a document that this service deposited. A hold on all documents of a citizen concerns other services too. */
export async function isHoldOfService(
  read: Read,
  { documentId }: Pick<LegalHold, 'documentId'>,
  service: string,
): Promise<boolean> {
  const found = documentId === null ? undefined : await findDocument(read, documentId);
  return found?.document.issuer === service;
}
