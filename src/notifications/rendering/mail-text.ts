import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { OutgoingMessage } from '../notification/channel.ts';
import { blocksOf } from '../notification/message-content.ts';
import { hasMarkup } from '../text/markdown.ts';
import { renderMessageHtml } from './message-html.ts';
import { renderPlainText } from './plain-text.ts';

/** The parts of a mail. */
type MailDraft = Pick<OutgoingMessage, 'sender' | 'subject' | 'content' | 'reminder' | 'language'> & {
  /** The id that is shown below the text; absent in a preview. */
  readonly notification?: string;
  /** The link that confirms the receipt, if mails have one. */
  readonly confirm?: string | undefined;
  /** The link to the message in the inbox, if messages have one. */
  readonly inbox?: string | undefined;
};

/** The subject and texts of a mail. `html` is present when the message has headings, lists, links or strong text. */
export type MailText = { readonly subject: string; readonly text: string; readonly html?: string };

/** Renders a mail: the whole message, then its documents, links and sender. */
export function renderMailText(draft: MailDraft): MailText {
  const { content, confirm, inbox } = draft;
  const name = toSingleLine(draft.sender);
  const { language: textLanguage, message: texts } = localeFor(draft.language);
  const title = toSingleLine(draft.subject ?? defaultSubject(draft.language, name));
  const subject = draft.reminder ? formatMessage(textLanguage, texts.reminderSubject, { subject: title }) : title;
  const attached = (content.attachments ?? []).map((document) => toSingleLine(document.title));
  const attachmentText =
    attached.length === 0 ? '' : `${[texts.attachments, ...attached.map((one) => `- ${one}`)].join('\n')}\n\n`;
  const { notification } = draft;
  const referenceText =
    notification === undefined ? '' : `${formatMessage(textLanguage, texts.reference, { id: notification })}\n`;
  const inboxText = inbox === undefined ? '' : `${texts.readInInbox}:\n${inbox}\n\n`;
  const confirmText = confirm === undefined ? '' : `${texts.confirmReceipt}:\n${confirm}\n\n`;
  // A line "-- " starts the signature (RFC 3676, section 4.3), which mail programs hide. Only ours may do so.
  const message = renderPlainText(content).trimEnd().replaceAll(/^-- $/gm, '--');
  const text = `${message}\n\n${attachmentText}${inboxText}${confirmText}-- \n${name}\n${referenceText}`;
  const blocks = blocksOf(content);
  if (!hasMarkup(blocks)) return { subject, text };
  const { language } = draft;
  const html = renderMessageHtml({ title, language, blocks, sender: name, notification, attached, inbox, confirm });
  return { subject, text, html };
}

/** The title of a message that was sent without a subject, in the language of the message. */
export function defaultSubject(tag: string | undefined, sender: string): string {
  const { language, message } = localeFor(tag);
  return formatMessage(language, message.defaultSubject, { sender });
}

/** Replaces white space and control characters by single spaces, for a mail header. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
