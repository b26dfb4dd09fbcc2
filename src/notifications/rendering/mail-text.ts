import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { blocksOf } from '../notification/message-content.ts';
import { leftToRight } from '../text/left-to-right.ts';
import { hasMarkup } from '../text/markdown.ts';
import { contactLines } from './contact-lines.ts';
import { legalLinkSentence, legalSentences } from './legal-text.ts';
import { renderMessageHtml } from './message-html.ts';
import { renderPlainText } from './plain-text.ts';

type MailDraft = Pick<
  OutgoingMessage,
  | 'sender'
  | 'senderSettings'
  | 'reference'
  | 'noticeOnly'
  | 'legalNotice'
  | 'subject'
  | 'content'
  | 'reminder'
  | 'language'
> & {
  /** The id that is shown at the end; absent in a preview. */
  readonly notification?: string;
  /** The link that confirms the receipt, if mails have one. */
  readonly confirm?: string | undefined;
  /** The link to the message in the inbox, if messages have one. */
  readonly inbox?: string | undefined;
};

/** The subject and texts of a mail. `html` is present when the message has headings, lists, links or strong text. */
export type MailText = { readonly subject: string; readonly text: string; readonly html?: string };

/**
 * Renders a mail: the whole message, when it counts as served, its documents and links, and the sender. A notice has nothing of the
 * message, and no link that confirms its receipt: such a link contains a token.
 */
export function renderMailText(draft: MailDraft): MailText {
  const { content, language, noticeOnly = false } = draft;
  const name = toSingleLine(draft.sender);
  const { language: textLanguage, message: texts } = localeFor(language);
  const ownSubject = noticeOnly ? undefined : draft.subject;
  const title = toSingleLine(ownSubject ?? defaultSubject(language, name));
  const subject = draft.reminder ? formatMessage(textLanguage, texts.reminderSubject, { subject: title }) : title;
  const notice = formatMessage(textLanguage, texts.notice, { sender: name });
  const footer = mailFooterOf(draft);
  const { legal, attached, inbox, confirm, linkNote } = footer;
  const paragraphs = [
    ...(legal.length === 0 ? [] : [legal.join(' ')]),
    ...(attached.length === 0 ? [] : [[texts.attachments, ...attached.map((one) => `- ${one}`)].join('\n')]),
    ...(inbox === undefined ? [] : [`${texts.readInInbox}:\n${inbox}`]),
    ...(confirm === undefined ? [] : [`${texts.confirmReceipt}:\n${confirm}`]),
    ...(linkNote === undefined ? [] : [linkNote]),
  ];
  const lines = [...footer.contact.map((one) => one.text), ...footer.references];
  // A line "-- " starts the signature (RFC 3676, section 4.3), which mail programs hide. Only ours may do so.
  const message = noticeOnly ? notice : renderPlainText(content).trimEnd().replaceAll(/^-- $/gm, '--');
  const text = `${[message, ...paragraphs].join('\n\n')}\n\n-- \n${[name, ...lines].join('\n')}\n`;
  const blocks = blocksOf(content);
  if (noticeOnly || !hasMarkup(blocks)) return { subject, text };
  const html = renderMessageHtml({ title, language, blocks, sender: name, ...footer });
  return { subject, text, html };
}

/** The parts below the message, for the plain text and the HTML. */
function mailFooterOf(draft: MailDraft) {
  const { language, legalNotice, noticeOnly = false, notification } = draft;
  const { language: textLanguage, message: texts } = localeFor(language);
  const confirm = noticeOnly ? undefined : draft.confirm;
  const reference = noticeOnly ? undefined : (draft.reference ?? undefined);
  return {
    legal: legalNotice === undefined ? [] : legalSentences(language, legalNotice),
    attached: noticeOnly ? [] : (draft.content.attachments ?? []).map(({ title }) => toSingleLine(title)),
    inbox: draft.inbox,
    confirm,
    linkNote: confirm && legalNotice && legalLinkSentence(language, legalNotice),
    contact: contactLines(language, draft.senderSettings),
    references: [
      ...(reference === undefined
        ? []
        : [formatMessage(textLanguage, texts.reference, { id: leftToRight(textLanguage, reference) })]),
      ...(notification === undefined ? [] : [messageNumberText(language, notification)]),
    ],
  };
}

/** The title of a message that was sent without a subject, in the language of the message. */
export function defaultSubject(tag: string | undefined, sender: string): string {
  const { language, message } = localeFor(tag);
  return formatMessage(language, message.defaultSubject, { sender });
}

/** The line with the id of a message, which the citizen can quote. */
export function messageNumberText(tag: string | undefined, id: string): string {
  const { language, message } = localeFor(tag);
  return formatMessage(language, message.messageNumber, { id });
}

/** Replaces white space and control characters by single spaces, for a mail header. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
