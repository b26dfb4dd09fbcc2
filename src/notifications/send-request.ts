import { type Static, Type } from 'typebox';
import { safeName } from '../api/parse.ts';
import { citizenIdDetail, citizenIdPattern, longestCitizenId } from '../kernel/id.ts';
import type { Issue } from '../kernel/problem.ts';
import { isLegalRule } from './legal-effect.ts';
import { charactersOf, fill, filledLength, filledText, placeholdersOf, type Values } from './markdown.ts';
import { categories, channelNames } from './notification.ts';
import { languageTag, oneOf, statedInstant } from './notification-shape.ts';

const dayMs = 86_400_000;
/** How far ahead `sendAt` may lie, and `deliverBy` behind that. */
const longestWaitMs = 366 * dayMs;
/** In characters, for what is sent as well as for what it is once its values are filled in. */
const longestMessage = 20_000;
const longestSubject = 200;
const mostValues = 100;
/** By when a message has to arrive if the sender does not say: within two weeks. */
const defaultDeliverWithinMs = 14 * dayMs;

/** The body of a send. */
export const sendBody = Type.Object(
  {
    citizenId: Type.String({
      minLength: 1,
      maxLength: longestCitizenId,
      description: 'The id of the citizen in the register.',
    }),
    message: Type.String({
      minLength: 1,
      maxLength: longestMessage,
      description: 'The text of the message, plain or in restricted Markdown. The whole body is at most 64 KiB.',
    }),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: longestSubject,
        description: 'One line; without it the sender is named.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Your own reference, to find the notification by. It need not be unique; put no personal data in it.',
      }),
    ),
    category: Type.Optional(
      oneOf(categories, 'What kind of message it is (default information); urgent ones go before all others.'),
    ),
    language: Type.Optional(
      languageTag('The language of the message (BCP 47); without it the citizen’s own is assumed.'),
    ),
    sendAt: statedInstant('Not sent before this; in the future, at most a year ahead.'),
    deliverBy: statedInstant('Undeliverable if not delivered by then; after sendAt, default two weeks after it.'),
    channels: Type.Optional(
      Type.Array(oneOf(channelNames, 'A channel.'), {
        minItems: 1,
        maxItems: channelNames.length,
        uniqueItems: true,
        description:
          'The channels in the order wanted: the first begins at once, the next after the waits that the policy of the server has between them; the inbox is used always. Default: all of the policy.',
      }),
    ),
    personalisation: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' }),
        Type.String({ maxLength: 2_000 }),
        {
          maxProperties: mostValues,
          description:
            'Makes subject and message a template: a value for each placeholder ((name)), all of them required. Values are text; Markdown in them does not count. The limits of both hold for the filled texts too.',
        },
      ),
    ),
    attachments: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: 10,
        uniqueItems: true,
        description:
          'Ids of documents of this citizen that you may read; the citizen finds them in the message and may read them too.',
      }),
    ),
    legalEffect: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'The rule by which it counts as served: opened, after-N-working-days or as-letter; see its evidence.',
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({
        description: 'true checks everything and shows what each channel would send, and sends nothing.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type SendBody = Static<typeof sendBody>;

/** When a notification begins and ends. */
export type Times = { readonly sendAt: number | null; readonly deliverBy: number; readonly issues: readonly Issue[] };

/** The times of a request, with what is wrong about them; messages of this server may wait for longer than a year, `mayWait`. */
export function timesOf(
  { sendAt: sendText, deliverBy: deliverText }: Pick<SendBody, 'sendAt' | 'deliverBy'>,
  now: number,
  mayWait = false,
): Times {
  const issues: Issue[] = [];
  const add = (pointer: string, code: string, detail: string) => issues.push({ in: 'body', pointer, code, detail });
  const sendAt = sendText === undefined ? null : Date.parse(sendText);
  if (Number.isNaN(sendAt)) add('/sendAt', 'malformed', 'must be an instant without a leap second');
  else if (sendAt !== null && sendAt <= now) add('/sendAt', 'out-of-range', 'must be in the future');
  else if (sendAt !== null && sendAt > now + longestWaitMs && !mayWait)
    add('/sendAt', 'out-of-range', 'at most a year ahead');
  const begin = sendAt === null || Number.isNaN(sendAt) ? now : sendAt;
  const deliverBy = deliverText === undefined ? begin + defaultDeliverWithinMs : Date.parse(deliverText);
  if (Number.isNaN(deliverBy)) add('/deliverBy', 'malformed', 'must be an instant without a leap second');
  else if (deliverBy <= begin) add('/deliverBy', 'out-of-range', 'must be in the future, and after sendAt');
  else if (deliverBy > begin + longestWaitMs) add('/deliverBy', 'out-of-range', 'at most a year after sending');
  return { sendAt, deliverBy, issues };
}

const line = /^[^\p{Cc}\u2028\u2029]*$/u;
const text = /^(?:[\t\n\r]|[^\p{Cc}])*$/u;

/** Of blanks, marks of direction and characters of no width alone a citizen would see an empty message. */
function isSeen(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(value);
}

/**
 * What is wrong about the texts of a request: their form, the values of a template, the rule of legal effect. Where the
 * request has members at fault already, `faulty`, its body is without these.
 */
export function textIssues(body: Partial<SendBody>, faulty: ReadonlySet<string> = new Set()): Issue[] {
  const { message, subject, reference, citizenId, legalEffect } = body;
  const fits: ReadonlyArray<[string, string | undefined, RegExp, string]> = [
    ['/citizenId', citizenId, citizenIdPattern, citizenIdDetail],
    ['/message', message, text, 'must hold text, and no control characters besides line breaks and tabs'],
    ['/subject', subject, line, 'must be one line of text without control characters'],
    ['/reference', reference, line, 'must be one line of text without control characters'],
  ];
  const issues: Issue[] = fits.flatMap(([pointer, value, pattern, detail]) =>
    value === undefined || (pattern.test(value) && isSeen(value))
      ? []
      : [{ in: 'body', pointer, code: 'malformed', detail }],
  );
  if (legalEffect !== undefined && !isLegalRule(legalEffect)) {
    const detail = 'must be opened, after-N-working-days or as-letter';
    issues.push({ in: 'body', pointer: '/legalEffect', code: 'not-allowed', detail });
  }
  // Of a template with a part at fault it is not known which values it needs.
  return faulty.has('subject') ? issues : [...issues, ...templateIssues(body)];
}

function templateIssues({ message, subject = '', personalisation }: Partial<SendBody>): Issue[] {
  if (personalisation === undefined || message === undefined) return [];
  const issue = (name: string, code: string, detail: string): Issue => {
    return { in: 'body', pointer: `/personalisation/${name}`, code, detail };
  };
  const inSubject = placeholdersOf(subject);
  const wanted = new Set([...placeholdersOf(message), ...inSubject]);
  if (wanted.size > mostValues) {
    const detail = `subject and message have ${wanted.size} placeholders, and at most ${mostValues} are allowed`;
    return [{ in: 'body', pointer: '/personalisation', code: 'too-long', detail }];
  }
  const missing = [...wanted].filter((name) => !Object.hasOwn(personalisation, name));
  const given = Object.entries(personalisation);
  return [
    ...missing.map((name) => issue(name, 'missing', 'must be given: the text has this placeholder')),
    ...given.flatMap(([name, value]) => {
      if (!wanted.has(name)) return [issue(safeName(name), 'unknown', 'the text has no such placeholder')];
      if (inSubject.has(name) && !line.test(value))
        return [issue(name, 'malformed', 'must be one line: it is in the subject')];
      return text.test(value) ? [] : [issue(name, 'malformed', 'must be text without control characters')];
    }),
    ...filledIssues(
      { pointer: '/message', template: message, longest: longestMessage, write: filledText },
      personalisation,
    ),
    ...filledIssues({ pointer: '/subject', template: subject, longest: longestSubject, write: fill }, personalisation),
  ];
}

type Part = {
  readonly pointer: string;
  readonly template: string;
  readonly longest: number;
  write(template: string, values: Values): string;
};

/** What is wrong about a text once it is filled; one that is far too long is never built. */
function filledIssues({ pointer, template, longest, write }: Part, values: Values): Issue[] {
  const issue = (code: string, detail: string): Issue => ({ in: 'body', pointer, code, detail });
  const least = filledLength(template, values);
  const filled = least > longest ? undefined : write(template, values);
  const length = filled === undefined ? least : charactersOf(filled);
  if (length > longest) {
    const detail = `has ${length} characters once its values are filled in, and at most ${longest} are allowed: shorten the text or the values, or name a value less often`;
    return [issue('too-long', detail)];
  }
  // A template that is blank by itself is told of where its own form is.
  if (!isSeen(template) || isSeen(filled ?? '')) return [];
  return [issue('malformed', 'is blank once its values are filled in: give text, or a value that is not blank')];
}
