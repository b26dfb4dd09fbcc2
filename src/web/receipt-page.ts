import type { IncomingMessage, RequestListener } from 'node:http';
import { type BufferedResponse, sendBuffered } from '../api/buffered-response.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { RefusedPage } from '../api/problem-response.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { requestPath } from '../kernel/request-target.ts';
import {
  type ConfirmDeps,
  type ConfirmLinks,
  confirmPath,
  confirmReceipt,
  findConfirmableMail,
} from '../notifications/inbox/confirm-receipt.ts';
import type { Phrases } from '../notifications/languages/phrases.ts';
import type { SenderOf } from '../notifications/notification/sending-service.ts';
import { phrasesForHeader } from '../notifications/rendering/phrases-by-language.ts';
import { html } from './html.ts';
import { citizenPage } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

type ReceiptPageDeps = ConfirmDeps & { readonly senderOf: SenderOf; onFault(fault: unknown): void };

/**
 * The page of the confirmation link in a mail. Only its button confirms, because mail scanners open links too. It names the
 * service that sent the mail, and shows nothing of the message.
 */
export function mountReceiptPage(deps: ReceiptPageDeps, links: Pick<ConfirmLinks, 'findDelivery'>): MountedHandler {
  async function answer(request: IncomingMessage): Promise<BufferedResponse> {
    const path = requestPath(request.url);
    const phrases = phrasesForHeader(request.headers['accept-language']);
    const delivery = links.findDelivery(path.slice(confirmPath.length + 1));
    if (delivery === undefined) return unknownLinkPage(phrases);
    if (request.method === 'POST') {
      request.resume();
      return (await confirmReceipt(deps, delivery)) ? redirectTo(path) : unknownLinkPage(phrases);
    }
    const found = await findConfirmableMail(deps.read, delivery);
    if (found === undefined) return unknownLinkPage(phrases);
    const { name: sender } = await deps.senderOf(found.notification.clientId);
    if (found.notification.status !== 'read') return askPage(path, phrases, sender);
    return confirmedPage(phrases, sender);
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        deps.onFault(fault);
        return unavailablePage(phrasesForHeader(request.headers['accept-language']));
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

/** Redirects to the same page, so that a reload does not send the form again. */
function redirectTo(path: string): BufferedResponse {
  return { status: 303, headers: { location: path }, body: '' };
}

function askPage(path: string, { page: { title, ask, button, doubt }, language }: Phrases, sender: string) {
  const content = html`<p>${ask(isolated(sender))}</p>
    <form method="post" action="${path}"><button type="submit">${button}</button></form>
    <p>${doubt(isolated(sender))}</p>`;
  return citizenPage({ title, content, status: 200, language, sender });
}

function confirmedPage({ confirmed: { title, text }, language }: Phrases, sender: string) {
  return citizenPage({ title, content: html`<p>${text(isolated(sender))}</p>`, status: 200, language, sender });
}

const unknownLinkPage = ({ unknownLink: { title, text }, language }: Phrases, status = 404) =>
  citizenPage({ title, content: html`<p>${text}</p>`, status, language });

const unavailablePage = ({ notNow: { title, text }, language }: Phrases, status = 503) =>
  citizenPage({ title, content: html`<p>${text}</p>`, status, language });

/**
 * The page for browsers whose request did not reach the receipt page: overload, stop, or a damaged link. It shows the same text
 * as that page, so it reveals nothing about a link.
 */
export const refusedPage: RefusedPage = ({ url = '', headers }, refusal) => {
  if (!isReceiptPath(url) || !prefersHtml(headers.accept)) return undefined;
  const phrases = phrasesForHeader(headers['accept-language']);
  const { retryable, status } = problems[refusal.slug];
  const page = retryable ? unavailablePage(phrases, status) : unknownLinkPage(phrases, status);
  return { ...page, headers: { ...refusal.headers, ...page.headers, ...commonHeaders } };
};

function isReceiptPath(url: string): boolean {
  return `${requestPath(url)}/`.startsWith(`${confirmPath}/`);
}

/** Isolates a name, so that its text direction does not change the order of the other words (UAX #9, 2.7). */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
