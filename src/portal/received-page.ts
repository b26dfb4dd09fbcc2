import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { html } from 'hono/html';
import type { Mount, PageAnswer } from '../api/server.ts';
import { type ConfirmLinks, type ConfirmParts, confirmPath, confirmReceipt } from '../notifications/confirm-receipt.ts';
import { phrasesOf, wishedLanguage } from '../notifications/phrases.ts';
import { page } from './page.ts';

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
    if (delivery === undefined) return await unknownLink();
    const language = wishedLanguage(request.headers['accept-language']);
    if (request.method !== 'POST') return await question(path, language);
    request.resume();
    return (await confirmReceipt(parts, delivery)) ? await thanks(language) : await unknownLink();
  }
  const handler: RequestListener = (request, response) => {
    answer(request)
      .catch(async (fault: unknown) => {
        parts.onFault(fault);
        return await notNow();
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

function question(path: string, language: string): Promise<PageAnswer> {
  const { title, ask, button } = phrasesOf(language).page;
  const form = html`<p>${ask}</p>
    <form method="post" action="${path}"><button type="submit">${button}</button></form>`;
  return page(title, form, 200, language);
}

function thanks(language: string): Promise<PageAnswer> {
  const { title, thanks: text } = phrasesOf(language).page;
  return page(title, html`<p>${text}</p>`, 200, language);
}

const unknownLink = () =>
  page('This link is not known', html`<p>Use the link as it stands in the mail, the whole of it.</p>`, 404);

const notNow = () => page('Not possible now', html`<p>Please try again in a few minutes.</p>`, 503);
