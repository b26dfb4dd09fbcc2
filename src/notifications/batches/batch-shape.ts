import { Type } from 'typebox';
import { formatInstant } from '../../kernel/clock.ts';
import { type NotificationStatus, notificationStatuses } from '../notification/notification.ts';
import { instantSchema, literalUnion } from '../notification/notification-shape.ts';
import { batchCodes, batchFormats, batchStates, type NotificationBatch } from './batch.ts';
import { rowStates } from './row-store.ts';

/** The path parameters of the operations on one batch. */
export const batchParams = Type.Object(
  { id: Type.String({ maxLength: 64, description: 'The id of the batch.' }) },
  { additionalProperties: false },
);

/** The query parameter that selects the rows in one state. */
export const rowStateSchema = Type.Optional(
  literalUnion(
    rowStates,
    'Only rows in this state: refused, or a status of their notifications. Default: all rows that have an outcome.',
  ),
);

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const summaryProperties = {
  id: Type.String({ description: 'The id of the batch.' }),
  name: nullable(Type.String(), 'Your name for the batch. null without one.'),
  templateId: nullable(Type.String(), 'The template of all rows that have none of their own. null without one.'),
  format: literalUnion(batchFormats, 'The format of the upload: csv, or jsonl for JSON Lines.'),
  state: literalUnion(
    batchStates,
    'receiving: the upload is incomplete. checking: the server checks the rows. ready: the batch waits for its start. sending: the server accepts the rows, which are then delivered. done: every row has an outcome. refused: no row was sent, see code. cancelled: the remaining rows are not sent.',
  ),
  code: nullable(literalUnion(batchCodes), 'Why the batch was refused, or cancelled by the server. Otherwise null.'),
  detail: nullable(Type.String(), 'The expected values, for your staff. null without a code.'),
  rows: nullable(Type.Integer(), 'The number of rows. null until the whole file was received.'),
  checked: Type.Integer({ description: 'The number of rows that the server has checked.' }),
  refused: Type.Integer({ description: 'The number of refused rows.' }),
  accepted: Type.Integer({ description: 'The number of rows that became notifications.' }),
  dryRun: Type.Boolean({ description: 'true if the server only checks the rows.' }),
  createdAt: instantSchema('The time at which the upload began.'),
  endedAt: nullable(instantSchema('The time at which the batch reached its last state.'), 'null until then.'),
};

/** The schema of a batch in a list and in the responses of changes. */
export const batchSummaryShape = Type.Object(summaryProperties, {
  $id: 'NotificationBatch',
  description: 'A batch of notifications, with its counts.',
  additionalProperties: false,
});

const countSchema = (status: NotificationStatus) =>
  Type.Optional(Type.Integer({ description: `The number of notifications in the status ${status}. Absent for none.` }));

/** The schema of a batch with the statuses of its notifications. */
export const batchShape = Type.Object(
  {
    ...summaryProperties,
    notifications: Type.Object(
      Object.fromEntries(notificationStatuses.map((status) => [status, countSchema(status)])),
      {
        $id: 'BatchNotifications',
        additionalProperties: false,
        description: 'The number of notifications in each status. Statuses without a notification are absent.',
      },
    ),
  },
  { $id: 'NotificationBatchProgress', additionalProperties: false },
);

/** The JSON of `batchSummaryShape`. */
export function batchSummaryOf(batch: NotificationBatch) {
  const { id, name, format, state, code, detail, rowCount, checked, refused, accepted, options } = batch;
  const { dryRun } = options;
  const endedAt = batch.endedAt === null ? null : formatInstant(batch.endedAt);
  const counts = { rows: rowCount, checked, refused, accepted };
  return {
    id,
    name,
    templateId: options.defaults['templateId'] ?? null,
    format,
    state,
    code,
    detail,
    ...counts,
    dryRun,
    createdAt: formatInstant(batch.createdAt),
    endedAt,
  };
}

/** The JSON of `batchShape`. */
export function batchView(batch: NotificationBatch, statuses: ReadonlyMap<NotificationStatus, number>) {
  return { ...batchSummaryOf(batch), notifications: Object.fromEntries(statuses) };
}
