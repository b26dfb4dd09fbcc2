import { Type } from 'typebox';
import type { TextFormat } from '../../api/operation.ts';
import { categories } from '../notification/notification.ts';
import { languageTagSchema, literalUnion, optionalInstantSchema } from '../notification/notification-shape.ts';

/** The options of an upload, and the values of all rows that have none of their own. */
export const batchQuery = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^\\x00-\\x1f\\x7f]+$',
        description: 'Your name for the batch, in one line. It must not contain personal data.',
      }),
    ),
    rows: Type.Optional(
      literalUnion(
        ['good', 'all-or-none'],
        'good: the server sends the rows without a fault, and refuses the others. all-or-none: if the check refuses one row, the server sends none. A row whose deadline passes while the server sends the batch is refused alone. Default: good.',
      ),
    ),
    start: Type.Optional(
      literalUnion(
        ['automatic', 'manual'],
        'automatic: the server sends the rows as soon as it has checked them. manual: it waits until you start the batch. Default: automatic.',
      ),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'true checks the rows and sends nothing. Default: false.' })),
    templateId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The template of all rows. Its placeholders are then columns of the file.',
      }),
    ),
    category: Type.Optional(literalUnion(categories, 'The category of rows without one. Default: information.')),
    language: Type.Optional(languageTagSchema('The language of rows without one (BCP 47).')),
    sendAt: optionalInstantSchema('The earliest time of sending for rows without one (RFC 3339).'),
    deliverBy: optionalInstantSchema('The deadline of delivery for rows without one (RFC 3339).'),
    legalEffect: Type.Optional(Type.String({ maxLength: 40, description: 'The legal effect of rows without one.' })),
  },
  { additionalProperties: false },
);

/** The headers of an upload. */
export const batchHeaders = Type.Object(
  {
    'content-type': Type.String({ minLength: 1, maxLength: 200, description: 'text/csv or application/jsonl.' }),
    'content-length': Type.Optional(
      Type.String({ pattern: '^\\d{1,15}$', description: 'The length of the body in bytes.' }),
    ),
    'content-encoding': Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: 'Only identity is accepted.' }),
    ),
  },
  { additionalProperties: false },
);

/** The formats of an upload, for the OpenAPI document. */
export const batchBodies: readonly TextFormat[] = [
  {
    type: 'text/csv',
    pattern: '^[^\\r\\n]+',
    description: 'CSV (RFC 4180) in UTF-8 with a line of column names, separated by comma, semicolon or tab.',
    example: 'citizenId,subject,message\r\nCIT-1001,Your permit,Your parking permit is ready.\r\n',
  },
  {
    type: 'application/jsonl',
    pattern: '^\\s*[{]',
    description: 'JSON Lines in UTF-8: the body of a send operation on each line.',
    example: '{"citizenId":"CIT-1001","message":"Your parking permit is ready."}\n',
  },
];
