import { type Static, Type } from 'typebox';
import type { Client } from '../../auth/client.ts';
import { changedParts, updateClientRow } from '../../auth/client-store.ts';
import { applyClientUpdate } from '../../auth/client-update.ts';
import { type Read, WriteRefused } from '../../db/database.ts';
import { findVisibleClient } from '../read-registered-client.ts';
import { clientRights, unknownPolicy } from './create-client.ts';
import { defineProposable, type Fault } from './proposable-operation.ts';

const orAny = 'null: any.';
const input = Type.Object(
  {
    clientId: Type.String({ minLength: 1, maxLength: 255 }),
    scopes: Type.Optional(clientRights.scopes),
    purposes: Type.Optional(Type.Union([clientRights.purposes, Type.Null()], { description: orAny })),
    legalBases: Type.Optional(Type.Union([clientRights.legalBases, Type.Null()], { description: orAny })),
    policy: Type.Optional(Type.Union([clientRights.policy, Type.Null()], { description: 'null: VERIFY_POLICY.' })),
  },
  { additionalProperties: false },
);

/** Changes the rights of a client: its scopes (including that to conceal accesses), purposes, legal bases and policy. */
export const proposableClientChange = defineProposable({
  name: 'changeClient',
  proposers: ['staff:operate'],
  summary: 'Change the scopes, purposes, legal bases or policy of a client',
  input,
  check: async (wanted, context) => {
    const change = await prepareChange(context, wanted);
    return 'fault' in change ? change : { before: rightsOf(change.before) };
  },
  apply: async (wanted, { clock, createId, actor, commitWith, ...context }) => {
    const change = await prepareChange(context, wanted);
    if ('fault' in change) return change;
    const { before, after } = change;
    const changed = changedParts(before, after);
    const { clientId } = after;
    const event = { type: 'client.changed', id: createId('event'), at: clock.now(), actor, clientId, changed } as const;
    try {
      await commitWith(rightsOf(after))({
        events: [changed.includes('scopes') ? { ...event, scopes: after.scopes } : event],
        statements: [updateClientRow(before, after)],
      });
      return undefined;
    } catch (fault) {
      if (fault instanceof WriteRefused && fault.kind === 'rows')
        return { fault: 'The client was changed at the same time. Read it, and try again.' };
      throw fault;
    }
  },
});

type ClientChange = { readonly before: Client; readonly after: Client };

/** The change, if the person may see the client: people of a service change only their own. */
async function prepareChange(
  { read, service }: { readonly read: Read; readonly service: string | null },
  { clientId, ...update }: Static<typeof input>,
): Promise<ClientChange | Fault> {
  const before = await findVisibleClient(read, clientId, { service });
  if (before === undefined) return { fault: 'There is no such client.', problem: 'client-not-found' };
  if (before.disabledAt !== undefined) return { fault: 'The client is disabled.' };
  const unknown = await unknownPolicy(read, update.policy ?? undefined);
  if (unknown !== undefined) return unknown;
  const after = applyClientUpdate(before, update);
  if ('fault' in after) return after;
  return changedParts(before, after).length === 0
    ? { fault: 'The client already has these values.' }
    : { before, after };
}

function rightsOf({ clientId, scopes, purposes, legalBases, policy }: Client) {
  return { clientId, scopes, purposes: purposes ?? null, legalBases: legalBases ?? null, policy: policy ?? null };
}
