import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { html } from 'hono/html';
import type { Mount, PageAnswer } from '../api/server.ts';
import { type ConfirmLinks, type ConfirmParts, confirmPath, confirmReceipt } from '../notifications/confirm-receipt.ts';
import { type Phrases, wishedPhrases } from '../notifications/phrases.ts';
import { citizenPage } from './page.ts';

/**
 * The page behind the link of a mail. Looking at it says nothing, since programs look at links too; only the button
 * does. It shows nothing of the message: who has the mail has that, and who has the link alone learns nothing.
 */
export function receivedPage(
  parts: ConfirmParts & { onFault(fault: unknown): void },
  links: Pick<ConfirmLinks, 'find'>,
): Mount {
  async function answer(request: IncomingMessage): Promise<PageAnswer> {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const delivery = links.find(path.slice(confirmPath.length + 1));
    const phrases = wishedPhrases(request.headers['accept-language']);
    if (delivery === undefined) return await unknownLink(phrases);
    if (request.method !== 'POST') return await question(path, phrases);
    request.resume();
    return (await confirmReceipt(parts, delivery)) ? await confirmed(phrases) : await unknownLink(phrases);
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        parts.onFault(fault);
        return await notNow(wishedPhrases(request.headers['accept-language']));
      })
      .then((given) => send(request, response, given))
      .catch(() => response.destroy());
  };
  return { paths: [`${confirmPath}/:token`], methods: ['GET', 'HEAD', 'POST'], handler };
}

function send(request: IncomingMessage, response: ServerResponse, given: PageAnswer): void {
  if (!('body' in given)) return void response.destroy();
  const headers = { ...given.headers, ...always, 'content-length': Buffer.byteLength(given.body) };
  response.writeHead(given.status, headers).end(request.method === 'HEAD' ? undefined : given.body);
}

const always = {
  'x-robots-tag': 'noindex',
  vary: 'accept-language',
};

function question(path: string, { page: { title, ask, button }, language }: Phrases): Promise<PageAnswer> {
  const form = html`<p>${ask}</p>
    <form method="post" action="${path}"><button type="submit">${button}</button></form>`;
  return citizenPage(title, form, 200, language);
}

const confirmed = ({ confirmed: { title, text }, language }: Phrases) =>
  citizenPage(title, html`<p>${text}</p>`, 200, language);

const unknownLink = ({ unknownLink: { title, text }, language }: Phrases) =>
  citizenPage(title, html`<p>${text}</p>`, 404, language);

const notNow = ({ notNow: { title, text }, language }: Phrases) =>
  citizenPage(title, html`<p>${text}</p>`, 503, language);
