import type { IncomingMessage, RequestListener } from 'node:http';
import { html } from 'hono/html';
import type { RefusedPage } from '../api/problem-answer.ts';
import type { Mount } from '../api/server.ts';
import { endWith, type WholeAnswer } from '../api/whole-answer.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { pathOf } from '../kernel/request-target.ts';
import {
  type ConfirmLinks,
  type ConfirmParts,
  confirmPath,
  confirmReceipt,
  findMailedOut,
} from '../notifications/inbox/confirm-receipt.ts';
import type { Phrases } from '../notifications/languages/phrases.ts';
import { wishedPhrases } from '../notifications/phrases-by-language.ts';
import type { SenderOf } from '../notifications/ports.ts';
import { citizenPage } from './page.ts';
import { wantsPage } from './wants-page.ts';

type Parts = ConfirmParts & { readonly senderOf: SenderOf; onFault(fault: unknown): void };

/**
 * The page behind the link of a mail. Looking at it says nothing, since programs look at links too; only the button
 * does. It names the service that sent the mail, and shows nothing of the message: who has the mail has that.
 */
export function receivedPage(parts: Parts, links: Pick<ConfirmLinks, 'find'>): Mount {
  async function answer(request: IncomingMessage): Promise<WholeAnswer> {
    const path = pathOf(request.url);
    const phrases = wishedPhrases(request.headers['accept-language']);
    const delivery = links.find(path.slice(confirmPath.length + 1));
    if (delivery === undefined) return await unknownLink(phrases);
    if (request.method === 'POST') {
      request.resume();
      return (await confirmReceipt(parts, delivery)) ? seeOther(path) : await unknownLink(phrases);
    }
    const found = await findMailedOut(parts.read, delivery);
    if (found === undefined) return await unknownLink(phrases);
    const { name: sender } = await parts.senderOf(found.notification.clientId);
    if (found.notification.status !== 'read') return await question(path, phrases, sender);
    return await confirmed(phrases, sender);
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        parts.onFault(fault);
        return await notNow(wishedPhrases(request.headers['accept-language']));
      })
      .then((given) => endWith(response, { ...given, headers: { ...given.headers, ...always } }))
      .catch(() => response.destroy());
  };
  return {
    paths: [confirmPath, `${confirmPath}/`, `${confirmPath}/:token`],
    methods: ['GET', 'HEAD', 'POST'],
    handler,
  };
}

const always = {
  'x-robots-tag': 'noindex',
  vary: 'accept-language',
};

/** To the page by the same link: a browser that shows it again later does not ask whether to press once more. */
function seeOther(path: string): WholeAnswer {
  return { status: 303, headers: { location: path }, body: '' };
}

function question(path: string, { page: { title, ask, button, doubt }, language }: Phrases, sender: string) {
  const content = html`<p>${ask(isolated(sender))}</p>
    <form method="post" action="${path}"><button type="submit">${button}</button></form>
    <p>${doubt(isolated(sender))}</p>`;
  return citizenPage({ title, content, status: 200, language, sender });
}

function confirmed({ confirmed: { title, text }, language }: Phrases, sender: string) {
  return citizenPage({ title, content: html`<p>${text(isolated(sender))}</p>`, status: 200, language, sender });
}

const unknownLink = ({ unknownLink: { title, text }, language }: Phrases, status = 404) =>
  citizenPage({ title, content: html`<p>${text}</p>`, status, language });

const notNow = ({ notNow: { title, text }, language }: Phrases, status = 503) =>
  citizenPage({ title, content: html`<p>${text}</p>`, status, language });

/**
 * What a browser shows of a refusal by which a request did not come to the page: while too much is at work, while the server
 * stops, for a link that was cut or joined to something. It says what that page says in such a case, and so nothing of any link.
 */
export const refusedPage: RefusedPage = ({ url = '', headers }, refusal) => {
  if (!isBelow(url) || !wantsPage(headers.accept)) return undefined;
  const phrases = wishedPhrases(headers['accept-language']);
  const { retryable, status } = problems[refusal.slug];
  return (retryable ? notNow : unknownLink)(phrases, status).then((page) => ({
    ...page,
    headers: { ...refusal.headers, ...page.headers, ...always },
  }));
};

function isBelow(url: string): boolean {
  return `${pathOf(url)}/`.startsWith(`${confirmPath}/`);
}

/** A name that runs the other way than the sentence turns none of its other words (UAX #9, 2.7). */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
