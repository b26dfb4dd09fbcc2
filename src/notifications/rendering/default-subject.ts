import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';

/** The title of a message that was sent without a subject, in the language of the message. */
export function defaultSubject(tag: string | undefined, sender: string): string {
  const { language, message } = localeFor(tag);
  return formatMessage(language, message.defaultSubject, { sender });
}
