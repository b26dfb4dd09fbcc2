import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import { languageTagSchema } from '../notifications/notification/notification-shape.ts';
import { findActiveService } from './active-service.ts';
import { lookUpShape, lookUpView } from './look-up-hit.ts';
import { findLookUp, lookUpKeptMs } from './look-up-store.ts';
import type { StaffPorts } from './ports.ts';
import { staffOf } from './staff-member.ts';

const request = {
  params: Type.Object(
    { id: Type.String({ maxLength: 64, description: 'The id of the look-up.' }) },
    { additionalProperties: false },
  ),
  query: Type.Object(
    { language: Type.Optional(languageTagSchema('The language of purposeText (BCP 47). Default: en.')) },
    { additionalProperties: false },
  ),
};

/** Reads a look-up again. The event of the look-up covers these reads too, so they are not recorded again. */
export const readLookUp = defineOperation({
  name: 'readLookUp',
  since: '1.0',
  method: 'GET',
  head: false,
  path: '/v1/staff/look-ups/{id}',
  scope: 'staff:support',
  callers: ['staff'],
  summary: 'Read a look-up again',
  description: `Returns the present state of the citizens that you found with a look-up within the last ${lookUpKeptMs / 60_000} minutes. Only the person who made the look-up can read it. It is not recorded again.`,
  request,
  responses: { 200: { description: 'The citizens.', schema: lookUpShape } },
  refusals: ['service-needed', 'look-up-not-found', 'register-unavailable'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const { read, ports, params, query, now } = call;
    const id = parseId('lookUp', params.id);
    const member = staffOf(call.caller);
    if ((await findActiveService(read, member)) === undefined) return { refusal: refuse('service-needed') };
    const { subject } = member;
    const found = id && (await findLookUp({ read, root: ports.root }, id, { subject, now }));
    if (found === undefined) return { refusal: refuse('look-up-not-found') };
    return { replayed: { status: 200, json: await lookUpView(call, { ...found, id: params.id }, query.language) } };
  },
});
