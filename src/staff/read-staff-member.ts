import { Type } from 'typebox';
import { defineOperation } from '../api/operation.ts';
import { staffScopes } from '../auth/caller.ts';
import { refuse } from '../kernel/refusal.ts';

/** The signed-in person on the wire. */
export type StaffMemberAnswer = {
  readonly subject: string;
  readonly name: string;
  readonly service: string | null;
  readonly scopes: readonly string[];
};

/** The person of the token, and what they may do here. */
export const readStaffMember = defineOperation({
  name: 'readStaffMember',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/me',
  scope: 'any',
  callers: ['staff'],
  summary: 'Read who is signed in',
  description: 'Returns the member of staff whom the token names, their service, and their scopes (STAFF_ROLES).',
  request: {},
  responses: {
    200: {
      description: 'The person.',
      schema: Type.Object({
        subject: Type.String({ description: 'The claim sub of the token.' }),
        name: Type.String({ description: 'The display name.' }),
        service: Type.Union([Type.String(), Type.Null()], {
          description: 'The id of the client of the person. null: the person belongs to no service.',
        }),
        scopes: Type.Array(Type.String(), { description: 'The rights of the person.' }),
      }),
    },
  },
  refusals: [],
  citizenData: false,
  run: async ({ caller: { staff, scopes } }) => {
    if (staff === undefined) return { refusal: refuse('staff-token-needed') };
    const json: StaffMemberAnswer = { ...staff, scopes: staffScopes.filter((scope) => scopes.has(scope)) };
    return { plain: { status: 200, json } };
  },
});
