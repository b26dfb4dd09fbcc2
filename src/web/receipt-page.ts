import type { IncomingMessage, RequestListener } from 'node:http';
import { html } from 'hono/html';
import type { MountedHandler } from '../api/api-server.ts';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import { type Locale, localeForHeader } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import {
  type ConfirmDeps,
  type ConfirmLinks,
  confirmPath,
  confirmReceipt,
  findConfirmableMail,
} from '../notifications/inbox/confirm-receipt.ts';
import type { SenderOf } from '../notifications/notification/sending-service.ts';
import { citizenPage } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

type ReceiptPageDeps = ConfirmDeps & { readonly senderOf: SenderOf; onFault(fault: unknown): void };

/**
 * The page behind the link of a mail. Looking at it says nothing, since programs look at links too; only the button
 * does. It names the service that sent the mail, and shows nothing of the message: who has the mail has that.
 */
export function mountReceiptPage(deps: ReceiptPageDeps, links: Pick<ConfirmLinks, 'findDelivery'>): MountedHandler {
  async function answer(request: IncomingMessage): Promise<BufferedResponse> {
    const path = requestPath(request.url);
    const locale = localeForHeader(request.headers['accept-language']);
    const delivery = links.findDelivery(path.slice(confirmPath.length + 1));
    if (delivery === undefined) return await unknownLinkPage(locale);
    if (request.method === 'POST') {
      request.resume();
      return (await confirmReceipt(deps, delivery)) ? redirectTo(path) : await unknownLinkPage(locale);
    }
    const found = await findConfirmableMail(deps.read, delivery);
    if (found === undefined) return await unknownLinkPage(locale);
    const { name: sender } = await deps.senderOf(found.notification.clientId);
    if (found.notification.status !== 'read') return await askPage(path, locale, sender);
    return await confirmedPage(locale, sender);
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        deps.onFault(fault);
        return await unavailablePage(localeForHeader(request.headers['accept-language']));
      })
      .then((given) => sendBuffered(response, { ...given, headers: { ...given.headers, ...commonHeaders } }))
      .catch(() => response.destroy());
  };
  return {
    paths: [confirmPath, `${confirmPath}/`, `${confirmPath}/:token`],
    methods: ['GET', 'HEAD', 'POST'],
    handler,
  };
}

const commonHeaders = {
  'x-robots-tag': 'noindex',
  vary: 'accept-language',
};

/** To the page by the same link: a browser that shows it again later does not ask whether to press once more. */
function redirectTo(path: string): BufferedResponse {
  return { status: 303, headers: { location: path }, body: '' };
}

function askPage(path: string, { receiptPage: { ask }, language }: Locale, sender: string) {
  const { title, text, button, warning } = ask;
  const values = { sender: isolated(sender) };
  const content = html`<p>${formatMessage(language, text, values)}</p>
    <form method="post" action="${path}"><button type="submit">${button}</button></form>
    <p>${formatMessage(language, warning, values)}</p>`;
  return citizenPage({ title, content, status: 200, language, sender });
}

function confirmedPage({ receiptPage: { confirmed }, language }: Locale, sender: string) {
  const content = html`<p>${formatMessage(language, confirmed.text, { sender: isolated(sender) })}</p>`;
  return citizenPage({ title: confirmed.title, content, status: 200, language, sender });
}

const unknownLinkPage = (
  {
    receiptPage: {
      unknownLink: { title, text },
    },
    language,
  }: Locale,
  status = 404,
) => citizenPage({ title, content: html`<p>${text}</p>`, status, language });

const unavailablePage = ({ unavailable: { title, text }, language }: Locale, status = 503) =>
  citizenPage({ title, content: html`<p>${text}</p>`, status, language });

/**
 * What a browser shows of a refusal by which a request did not come to the page: while too much is at work, while the server
 * stops, for a link that was cut or joined to something. It says what that page says in such a case, and so nothing of any link.
 */
export const refusedPage: RefusedPage = ({ url = '', headers }, refusal) => {
  if (!isReceiptPath(url) || !prefersHtml(headers.accept)) return undefined;
  const locale = localeForHeader(headers['accept-language']);
  const { retryable, status } = problems[refusal.slug];
  return (retryable ? unavailablePage : unknownLinkPage)(locale, status).then((page) => ({
    ...page,
    headers: { ...refusal.headers, ...page.headers, ...commonHeaders },
  }));
};

function isReceiptPath(url: string): boolean {
  return `${requestPath(url)}/`.startsWith(`${confirmPath}/`);
}

/** A name that runs the other way than the sentence turns none of its other words (UAX #9, 2.7). */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
