import type { ClientMessages } from '../../auth/client-messages.ts';
import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';

/** A line such as `Phone: +44 20 7946 0000`, with its value alone and its address for a link. */
type ContactLine = { readonly text: string; readonly value: string; readonly href: string };

/** The contact lines of a service that citizens see below its messages. */
export function contactLines(tag: string | undefined, settings: ClientMessages | undefined): ContactLine[] {
  const { contactPhone: phone, contactEmail: email, contactUrl: url } = settings ?? {};
  const { language, message: texts } = localeFor(tag);
  const line = (text: string, value: string, href: string): ContactLine => ({ text, value, href });
  return [
    ...(phone === undefined
      ? []
      : [line(formatMessage(language, texts.phone, { phone }), phone, `tel:${phone.replaceAll(/[^\d+]/g, '')}`)]),
    ...(email === undefined
      ? []
      : [line(formatMessage(language, texts.email, { email }), email, `mailto:${encodeURI(email)}`)]),
    ...(url === undefined ? [] : [line(formatMessage(language, texts.website, { url }), url, url)]),
  ];
}
