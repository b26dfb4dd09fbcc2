import { formatMessage } from '../locales/message-format.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** Citizens are warned this many minutes before their session ends (WCAG 2.2, 2.2.1: at least 20 seconds). */
const warningMinutes = 2;
/** A session ends after at most 30 minutes without a request. */
const longestDelayMinutes = 30;

/**
 * The warning before the session ends. The page shows it after a delay, by CSS alone: a script or a refresh could destroy what a
 * citizen is typing. Its link opens a new tab for the same reason.
 */
export function sessionWarning({ session, language }: CitizenTexts, minutesLeft: number): Html {
  const delay = Math.min(Math.max(Math.floor(minutesLeft) - warningMinutes, 0), longestDelayMinutes);
  // Screen readers announce text that appears in an element with the role status.
  return html`<div role="status"><div class="session-warning warn-in-${delay}">
      <p>${formatMessage(language, session.ending, { minutes: warningMinutes })} <a href="${citizenPaths.stay}" target="_blank" rel="noopener">${session.stay}</a></p>
    </div></div>`;
}

const delays = Array.from({ length: longestDelayMinutes + 1 }, (_, minutes) => minutes);

/** The style of the warning, with one class for each delay, because the policy of the pages forbids inline styles. */
export const sessionWarningCss = `
html:has(.session-warning) { scroll-padding-block-end: 8rem; } body:has(.session-warning) > footer { padding-block-end: 8rem; }
.session-warning { position: fixed; inset-inline: 0; inset-block-end: 0; padding: 0.75rem max(1.25rem, 50% - 30rem); background: var(--paper); border-block-start: 4px solid var(--fault); visibility: hidden; animation: session-warning 1s step-end forwards; }
.session-warning p { margin: 0; }
@keyframes session-warning { to { visibility: visible; } } @media print { .session-warning { display: none; } }
${delays.map((minutes) => `.warn-in-${minutes} { animation-delay: ${minutes * 60}s; }`).join('\n')}
`;
