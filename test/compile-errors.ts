/**
 * Code that must not compile. `npm run check` fails when one of these lines compiles, because then a type became weaker.
 * Nothing here runs.
 */
import { Type } from 'typebox';
import { defineOperation, type OperationCall, type ResponseShape } from '../src/api/operation.ts';
import type { NotificationId } from '../src/kernel/id.ts';
import { refuse } from '../src/kernel/refusal.ts';
import { Secret } from '../src/kernel/secret.ts';
import type { Commit } from '../src/ledger/commit.ts';
import type { CitizenEvent, LedgerEvent } from '../src/ledger/ledger-event.ts';

declare const commit: Commit;
declare const event: CitizenEvent;
declare const call: OperationCall<{ readonly params: undefined }, null>;

// An effect without an event.
// @ts-expect-error events are missing
void commit({ statements: [] });
// @ts-expect-error the list of events is empty
void commit({ statements: [], events: [] });
void commit({ statements: [], events: [event] });

const described = {
  name: 'leak',
  since: '1.0',
  method: 'GET',
  path: '/v1/leak',
  scope: 'documents:read',
  summary: '',
  description: '',
  request: {},
  responses: {},
  refusals: [],
} as const;

const textFormat = { type: 'text/plain', pattern: '', description: '', example: '' };
const answer = { status: 200, json: {} };
const plain = async () => ({ plain: answer });
const eventless = async () => ({ effect: { statements: [] }, answer });

// An operation on citizens' data that answers without an effect, or with one that has no event.
// @ts-expect-error a plain answer needs an operation without citizens' data
defineOperation({ ...described, citizenData: true, run: plain });
// @ts-expect-error the effect has no events
defineOperation({ ...described, citizenData: true, run: eventless });
defineOperation({ ...described, citizenData: true, run: async () => ({ refusal: refuse('document-not-found') }) });

// A response has one media type.
// @ts-expect-error JSON and text
export const twoTypes: ResponseShape = { description: '', schema: Type.Object({}), text: textFormat };
// @ts-expect-error JSON and bytes
export const jsonAndBytes: ResponseShape = { description: '', schema: Type.Object({}), bytes: true };

// An operation can write only through its decision.
// @ts-expect-error a call cannot commit
void call.commit;
// @ts-expect-error a call cannot write
void call.write;

// A plain string is not an id.
// @ts-expect-error neither generated nor parsed
export const id: NotificationId = 'ntf_01FWHE4YDGE008000000000000';

// An event has one of the types in the union `LedgerEvent`.
// @ts-expect-error no such kind of event
export const invented: LedgerEvent = { ...event, type: 'citizen.watched' };

// A refusal comes from the catalogue.
// @ts-expect-error no such problem
refuse('computer-says-no');

// A secret is not converted to a string implicitly.
// @ts-expect-error a Secret is not a string
export const shown: string = new Secret('x');
