import type { PageRoute } from '../api/page-route.ts';
import { formatInstant } from '../kernel/clock.ts';
import { html } from './html.ts';
import { apiPage } from './page.ts';

/** A mail in the outbox; `capturedAt` in epoch milliseconds. */
type OutboxMail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly capturedAt: number;
};

export const outboxPath = '/outbox';

/** The outbox of the demo: the mails that it did not send, newest first. It is in memory, so a restart deletes them. */
export function outboxPage(mails: () => readonly OutboxMail[]): PageRoute {
  return {
    path: outboxPath,
    get: async () => {
      const all = mails();
      return apiPage(
        'Outbox',
        html`<p>Mail that this demo would have sent: ${all.length}, newest first. It is kept in memory only.</p>
          ${all.map(
            (mail) => html`<article>
              <h2><bdi>${mail.subject}</bdi></h2>
              <p>To <bdi>${mail.to}</bdi>, <bdi><time>${formatInstant(mail.capturedAt)}</time></bdi></p>
              <p class="mail" dir="auto">${mail.text}</p>
            </article>`,
          )}`,
      );
    },
  };
}
