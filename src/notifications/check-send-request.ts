import type { OperationCall, ValidPart } from '../api/operation.ts';
import { parseId } from '../kernel/id.ts';
import type { Issue } from '../kernel/refusal.ts';
import { type PlannedStep, type PlanOptions, planSteps } from './cascade/cascade.ts';
import { legalRuleIssues } from './legal-effect/legal-effect.ts';
import type { CitizenContact } from './notification/contact.ts';
import { type Attachment, generateSalt, type MessageContent } from './notification/message-content.ts';
import type { NotificationPorts } from './ports.ts';
import { parseSendTimes, type SendBody, type SendTimes, sendBody, textIssues } from './send-request.ts';
import { type Template, textForCitizen, textForLanguage } from './templates/template.ts';
import { fillMarkdown, fillPlaceholders } from './text/markdown.ts';

/** The request of the operations that send and preview a notification. */
export const sendRequest = { body: sendBody };

/** A call of one of these operations. */
export type SendCall = OperationCall<typeof sendRequest, NotificationPorts>;

/** A request without issues, with the data that its checks have read. */
export type CheckedRequest = {
  readonly times: SendTimes;
  readonly contact: CitizenContact | undefined;
  readonly content: MessageContent;
  readonly steps: readonly PlannedStep[];
};

/** Whether the caller may learn from the answer that there is no such citizen (docs/integrate/send.md). */
export function mayKnowCitizen({ caller }: Pick<SendCall, 'caller'>): boolean {
  return caller.scopes.has('citizens:known');
}

/** The issues of the valid part of a request that does not match its schema, for `contentIssues` of its operation. */
export async function sendIssuesOf(part: ValidPart<typeof sendRequest, NotificationPorts>): Promise<readonly Issue[]> {
  return [
    ...textIssues(part.body, { faulty: part.invalidMembers, template: await templateOf(part) }),
    ...parseSendTimes(part.body, part.now).issues,
    ...(await attachmentsOf(part)).issues,
  ];
}

type CheckOptions = {
  /** Whether the plan and the text may follow the preferences of the citizen. */
  readonly usesPreferences: boolean;
};

/** The parts of a call that its checks read: also a row of a batch has them. */
type CheckableCall = Pick<SendCall, 'body' | 'caller' | 'ports' | 'now'>;

/** Finds the issues of a request that matches its schema, without the register of citizens. */
export async function findRequestIssues(call: CheckableCall) {
  const { body, ports, now } = call;
  const times = parseSendTimes(body, now);
  const [attached, template] = await Promise.all([attachmentsOf(call), templateOf(call)]);
  const ruleIssues = legalRuleIssues(body.legalEffect, body.channels, ports.cascade);
  const issues = [...textIssues(body, { template }), ...times.issues, ...ruleIssues, ...attached.issues];
  return { issues, times, attached, template };
}

/** Checks a request to send or to preview, and reports all its issues at once. */
export async function checkSendRequest(
  call: CheckableCall,
  { usesPreferences }: CheckOptions,
): Promise<CheckedRequest | { readonly issues: readonly Issue[] }> {
  const { body, ports, now } = call;
  const [contact, found] = await Promise.all([ports.contactOf(body.citizenId), findRequestIssues(call)]);
  const { issues, times, attached, template } = found;
  if (issues.length > 0) return { issues };
  const urgent = body.category === 'urgent';
  const { sendAt, deliverBy } = times;
  const preferences = usesPreferences ? contact : undefined;
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
  { templateId, respondBy, personalisation = templateId === undefined ? undefined : {} }: SendBody,
  found: readonly Attachment[],
): MessageContent {
  const optional = {
    ...(found.length === 0 ? {} : { attachments: found }),
    ...(respondBy === undefined ? {} : { respondBy }),
  };
  if (personalisation === undefined) return { subject, message, ...optional };
  return {
    subject: subject && fillPlaceholders(subject, personalisation),
    message: fillMarkdown(message, personalisation),
    language,
    template: message,
    values: personalisation,
    ...optional,
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
