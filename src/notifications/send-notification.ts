import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { parseId } from '../kernel/id.ts';
import { type Issue, refuse, refuseIssues } from '../kernel/refusal.ts';
import { type PlannedStep, type PlanOptions, planSteps } from './cascade/cascade.ts';
import { dryRunAnswer, dryRunShape } from './dry-run.ts';
import { legalRuleIssues } from './evidence/legal-effect.ts';
import { acceptNotification } from './notification/accept-notification.ts';
import type { CitizenContact } from './notification/contact.ts';
import {
  type Attachment,
  generateSalt,
  type MessageContent,
  messageLanguageOf,
} from './notification/message-content.ts';
import { receiptPathOf } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';
import { parseSendTimes, type SendBody, type SendTimes, sendBody, textIssues } from './send-request.ts';
import { type Template, textForCitizen, textForLanguage } from './templates/template.ts';
import { fillMarkdown, fillPlaceholders } from './text/markdown.ts';

const request = { body: sendBody };

const acceptedShape = Type.Object({
  id: Type.String(),
  citizenId: Type.String(),
  reference: Type.Union([Type.String(), Type.Null()]),
  status: Type.Literal('accepted'),
  createdAt: Type.String({ format: 'date-time' }),
  sendAt: Type.Optional(Type.String({ format: 'date-time' })),
  deliverBy: Type.String({ format: 'date-time' }),
  receipt: Type.String({ description: 'The ledger receipt of the acceptance.' }),
});

type SendCall = OperationCall<typeof request, NotificationPorts>;

/** A request without issues, with the data that its checks have read. */
type CheckedRequest = {
  readonly times: SendTimes;
  readonly contact: CitizenContact | undefined;
  readonly content: MessageContent;
  readonly steps: readonly PlannedStep[];
};

/**
 * Accepts a message to one citizen. The same unit puts the copy into the inbox, unless the citizen is not in the register or is dead, or
 * `sendAt` is in the future. The other steps of the cascade are queued, each with its time.
 */
export const sendNotification = defineOperation({
  name: 'sendNotification',
  since: '1.0',
  method: 'POST',
  path: '/v1/notifications/send',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Send an official notification to a citizen',
  description:
    'The response is sent when the message is durable; the delivery follows. Send an Idempotency-Key, and repeat the request with the same key until you get a response: only one notification is created. For an unknown citizen, callers with the scope citizens:known receive 404. For all others the notification is accepted and becomes undeliverable. With dryRun nothing is sent or stored, also no Idempotency-Key, and the response shows what each channel would send.',
  request,
  responses: {
    202: {
      description: 'Accepted and durable.',
      schema: acceptedShape,
      headers: {
        Location: 'The path of its status.',
        'Idempotent-Replayed': 'true if an earlier response is repeated.',
      },
    },
    200: { description: 'With dryRun: what would be sent.', schema: dryRunShape },
  },
  refusals: ['bad-request', 'citizen-not-found', 'register-unavailable'],
  idempotent: true,
  // The answer of a dry run contains the message. A stored answer would keep it unencrypted, and use up the key of the real send.
  isDryRun: ({ body }) => body.dryRun === true,
  citizenData: true,
  contentIssues: async (part) => [
    ...textIssues(part.body, { faulty: part.invalidMembers, template: await templateOf(part) }),
    ...parseSendTimes(part.body, part.now).issues,
    ...(await attachmentsOf(part)).issues,
  ],
  run: async (call: SendCall) => {
    const checked = await checkRequest(call);
    if ('issues' in checked) return { refusal: refuseIssues(checked.issues) };
    if (checked.contact === undefined && mayKnowCitizen(call) && call.body.dryRun !== true) {
      return { refusal: refuse('citizen-not-found') };
    }
    return call.body.dryRun === true ? await dryRunDecision(call, checked) : await acceptDecision(call, checked);
  },
});

/** Whether the caller may learn from the answer that there is no such citizen (docs/notifications.md). */
function mayKnowCitizen({ caller }: SendCall): boolean {
  return caller.scopes.has('citizens:known');
}

/** Checks a request and reports all its issues at once, the same for a dry run and a real one. */
async function checkRequest(call: SendCall): Promise<CheckedRequest | { readonly issues: readonly Issue[] }> {
  const { body, ports, now } = call;
  const times = parseSendTimes(body, now);
  const [contact, attached, template] = await Promise.all([
    ports.contactOf(body.citizenId),
    attachmentsOf(call),
    templateOf(call),
  ]);
  const ruleIssues = legalRuleIssues(body.legalEffect, body.channels, ports.cascade);
  const issues = [...textIssues(body, { template }), ...times.issues, ...ruleIssues, ...attached.issues];
  if (issues.length > 0) return { issues };
  const urgent = body.category === 'urgent';
  const { sendAt, deliverBy } = times;
  // The preferences of a citizen would show the caller of a dry run that the citizen exists.
  const preferences = body.dryRun === true && !mayKnowCitizen(call) ? undefined : contact;
  const planOptions: PlanOptions = { wanted: body.channels, begin: sendAt ?? now, deliverBy, urgent, preferences };
  const steps = planSteps(ports.cascade, planOptions);
  const text =
    template === undefined ? requestText(body) : templateTextFor(template, body.language, preferences?.language);
  const content = contentOf(text, body, attached.found);
  const isChosen = content.language !== undefined && body.language === undefined;
  return { times, contact, content: isChosen ? { ...content, salt: generateSalt(ports.random) } : content, steps };
}

/** The template that a request names; undefined when it names none, or none of its client. */
async function templateOf({ ports, caller, body }: TemplateLookup): Promise<Template | undefined> {
  return body.templateId === undefined ? undefined : await ports.templateOf(body.templateId, caller.clientId);
}

type TemplateLookup = Pick<SendCall, 'caller' | 'ports'> & { readonly body: Partial<SendBody> };
type ChosenText = Pick<MessageContent, 'subject' | 'message' | 'language'>;

function requestText({ subject, message }: SendBody): ChosenText {
  if (message === undefined) throw new TypeError('a request without a message passed the check of its texts');
  return { subject, message };
}

/** The text of a template in the language that the sender names, else in that of the citizen, else in the default language. */
function templateTextFor(
  template: Template,
  senderLanguage: string | undefined,
  citizenLanguage: string | undefined,
): ChosenText {
  const senderText = senderLanguage === undefined ? undefined : textForLanguage(template.texts, senderLanguage);
  return senderText ?? textForCitizen(template, citizenLanguage);
}

function contentOf(
  { subject, message, language }: ChosenText,
  { templateId, personalisation = templateId === undefined ? undefined : {} }: SendBody,
  found: readonly Attachment[],
): MessageContent {
  const attachments = found.length === 0 ? {} : { attachments: found };
  if (personalisation === undefined) return { subject, message, ...attachments };
  return {
    subject: subject && fillPlaceholders(subject, personalisation),
    message: fillMarkdown(message, personalisation),
    language,
    template: message,
    values: personalisation,
    ...attachments,
  };
}

type AttachmentLookup = Pick<SendCall, 'caller' | 'ports' | 'now'> & { readonly body: Partial<SendBody> };

async function attachmentsOf(call: AttachmentLookup): Promise<{ found: Attachment[]; issues: Issue[] }> {
  const found: Attachment[] = [];
  const issues: Issue[] = [];
  const { citizenId, attachments = [] } = call.body;
  if (citizenId === undefined) return { found, issues };
  for (const [index, text] of attachments.entries()) {
    const id = parseId('document', text);
    const reader = { clientId: call.caller.clientId, citizenId, now: call.now };
    const title = id === undefined ? undefined : await call.ports.attachmentTitle(id, reader);
    if (id !== undefined && title !== undefined) found.push({ id, title });
    else {
      const detail = 'must be a document of this citizen that is available to you';
      issues.push({ in: 'body', pointer: `/attachments/${index}`, code: 'not-found', detail });
    }
  }
  return { found, issues };
}

async function dryRunDecision(call: SendCall, { times, contact, content, steps }: CheckedRequest): Promise<Decision> {
  const { citizenId } = call.body;
  const head = { id: call.createId('event'), at: call.now, actor: { client: call.caller.clientId } };
  const known = mayKnowCitizen(call);
  const language = messageLanguageOf(content, call.body.language ?? null, known ? contact?.language : undefined);
  return {
    effect: { events: [{ type: 'notification.rehearsed', ...head, citizenId }], statements: [] },
    answer: {
      status: 200,
      json: await dryRunAnswer({
        steps,
        contact,
        content,
        service: await call.ports.senderOf(call.caller.clientId),
        language,
        deliverBy: times.deliverBy,
        mayKnowCitizen: known,
        ports: call.ports,
      }),
    },
  };
}

async function acceptDecision(call: SendCall, { times, contact, content, steps }: CheckedRequest): Promise<Decision> {
  const { citizenId, category = 'information', reference = null, legalEffect = null } = call.body;
  const { sendAt, deliverBy } = times;
  const { notification, event, ...writes } = await acceptNotification(call, {
    clientId: call.caller.clientId,
    citizenId,
    reference,
    category,
    legalEffect,
    content,
    // The language of the citizen is not stored: its sender could read it. The parts that show the message look it up.
    language: call.body.language ?? null,
    steps,
    sendAt,
    deliverBy,
    isInInbox: contact !== undefined && contact.deceased !== true && sendAt === null,
  });
  return {
    effect: { events: [event], ...writes },
    answer: {
      status: 202,
      headers: { location: `/v1/notifications/${notification.id}` },
      json: {
        id: notification.id,
        citizenId,
        reference,
        status: 'accepted',
        createdAt: formatInstant(call.now),
        ...(sendAt === null ? {} : { sendAt: formatInstant(sendAt) }),
        deliverBy: formatInstant(deliverBy),
        receipt: receiptPathOf(notification),
      },
    },
  };
}
