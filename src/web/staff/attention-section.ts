import type { Refusal } from '../../kernel/refusal.ts';
import { formatMessage } from '../../locales/message-format.ts';
import type { ReasonCode } from '../../notifications/notification/reason.ts';
import { readAttention } from '../../staff/read-attention.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { type Html, html } from '../html.ts';
import { channelName } from './channel-name.ts';
import { readProposals } from './read-proposals.ts';
import { staffPaths } from './staff-area.ts';
import type { StaffVisit } from './staff-page.ts';

/** The response of `readAttention`. */
type Attention = {
  readonly failures: readonly {
    readonly channel: string;
    readonly reason: ReasonCode;
    readonly whoActs: 'citizen' | 'sender' | 'operator' | 'nobody';
    readonly count: number;
    readonly notifications: readonly string[];
  }[];
  readonly webhooks: readonly {
    readonly clientId: string;
    readonly organisation: string;
    readonly disabled: boolean;
    readonly contact: string | null;
  }[];
  readonly quarantine: readonly { readonly verdict: string | null; readonly count: number }[];
  readonly pausedChannels: readonly { readonly channel: string; readonly at: string }[];
  readonly ledgerAlarms: readonly string[];
  readonly stoppedImports: readonly { readonly id: string; readonly rows: number; readonly stoppedAt: string }[];
  readonly lastBackupAt: string | null;
  readonly proposals: { readonly count: number; readonly oldest: string | null };
};

const dayMs = 86_400_000;

/** The part of the first page that shows operators where something needs them, each line with the place to act. */
export async function attentionSection(visit: StaffVisit): Promise<Html | Refusal> {
  const answer = await readJson<Attention>(visit, readAttention);
  if (!('json' in answer)) return answer;
  const { attention } = visit.texts;
  const lines = attentionLines(visit, answer.json);
  return html`<h2>${attention.title}</h2>
    ${lines.length === 0 ? html`<p>${attention.nothing}</p>` : html`<ul class="list">${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
    ${backupNote(visit, answer.json.lastBackupAt)}`;
}

/** The part of the first page that shows people who approve whether a proposal of somebody else waits for them. */
export async function decisionsSection(visit: StaffVisit): Promise<Html | Refusal> {
  const proposals = await readProposals(visit, { status: 'proposed' });
  if ('slug' in proposals) return proposals;
  const { attention } = visit.texts;
  const { words } = visit.layout;
  const waiting = proposals.filter(({ proposedBy }) => proposedBy.subject !== visit.member.subject);
  const oldest = waiting.at(-1)?.proposedAt;
  if (oldest === undefined) return html`<h2>${attention.title}</h2><p>${attention.nothing}</p>`;
  const text = formatMessage(words.language, attention.proposals, { count: waiting.length });
  return html`<h2>${attention.title}</h2>
    <ul class="list"><li><p><a href="${staffPaths.proposals}">${text}</a></p><p>${attention.since} ${minuteElement(words, oldest)}</p></li></ul>`;
}

/** A backup each day is usual, so an older one is marked. */
function backupNote({ texts, layout, now }: StaffVisit, lastBackupAt: string | null): Html {
  const { attention } = texts;
  if (lastBackupAt === null) return html`<p class="note">${attention.backup} ${command('backup record')}</p>`;
  const days = Math.floor((now - Date.parse(lastBackupAt)) / dayMs);
  const age = formatMessage(layout.words.language, attention.backupAge, { days });
  return html`<p class="note">${days < 2 ? age : html`<strong>${age}</strong>`} (${minuteElement(layout.words, lastBackupAt)})</p>`;
}

function attentionLines(visit: StaffVisit, found: Attention): readonly Html[] {
  const { texts, layout } = visit;
  const { attention } = texts;
  const { words } = layout;
  const { language } = words;
  const counted = (text: string, count: number) => formatMessage(language, text, { count });
  const since = (at: string) => html`<p>${attention.since} ${minuteElement(words, at)}</p>`;
  const linked = (path: string, text: string) => html`<p><a href="${path}">${text}</a></p>`;
  const { proposals } = found;
  return [
    ...found.ledgerAlarms.map(
      (alarm) =>
        html`<p>${formatMessage(language, attention.ledger, { alarm })}</p><p>${attention.onServer} ${command('doctor')}</p>`,
    ),
    ...found.pausedChannels.map(
      ({ channel, at }) =>
        html`${linked(staffPaths.queues, formatMessage(language, attention.paused, { channel: channelName(visit, channel) }))}${since(at)}`,
    ),
    ...(proposals.oldest === null
      ? []
      : [
          html`${linked(staffPaths.proposals, counted(attention.proposals, proposals.count))}${since(proposals.oldest)}`,
        ]),
    ...found.failures.map((one) => failureLine(visit, one)),
    ...found.webhooks.map(({ clientId, organisation, disabled, contact }) => {
      const text = formatMessage(language, disabled ? attention.webhookDisabled : attention.webhook, { organisation });
      const whom =
        contact === null
          ? attention.noContact
          : html`${formatMessage(language, attention.inform, { organisation })} <bdi>${contact}</bdi>`;
      return html`${linked(`${staffPaths.clients}/${clientId}`, text)}<p>${whom}</p>`;
    }),
    ...found.quarantine.map(
      ({ verdict, count }) =>
        html`<p>${counted(attention.quarantine, count)}${verdict === null ? '' : html`: ${verdictText(visit, verdict)}`}</p>
          <p>${attention.onServer} ${command('documents rescan --quarantined')}</p>`,
    ),
    ...found.stoppedImports.map(
      ({ rows, stoppedAt }) =>
        html`<p>${counted(attention.import, rows)}</p>${since(stoppedAt)}<p>${attention.importAgain}</p>`,
    ),
  ];
}

/** The service and the operator act on pages of this area; the citizen does not. */
function failureLine(
  visit: StaffVisit,
  { channel, count, whoActs, reason, notifications }: Attention['failures'][number],
): Html {
  const { attention, deliveryReasons } = visit.texts;
  const name = channelName(visit, channel);
  const text = formatMessage(visit.layout.words.language, attention.failures, { channel: name, count });
  const path = { operator: staffPaths.queues, sender: staffPaths.clients, citizen: undefined, nobody: undefined }[
    whoActs
  ];
  return html`<p>${path === undefined ? text : html`<a href="${path}">${text}</a>`}</p>
    <p>${deliveryReasons[reason]} ${attention.whoActs[whoActs]} (<code>${reason}</code>)</p>${messageLinks(visit, notifications)}`;
}

/** Only the helpdesk can look up the person of a message; the form still asks for the reason. */
function messageLinks({ texts, member }: StaffVisit, notifications: readonly string[]): Html | '' {
  if (notifications.length === 0) return '';
  const mayLookUp = member.scopes.includes('staff:support');
  const shown = notifications.map((id) =>
    mayLookUp
      ? html`<li><a href="${staffPaths.person}?message=${id}"><bdi>${id}</bdi></a></li>`
      : html`<li><bdi>${id}</bdi></li>`,
  );
  return html`<p>${texts.attention.newest}</p><ul>${shown}</ul>`;
}

function verdictText({ layout }: StaffVisit, verdict: string): string {
  const { results } = layout.words.uses;
  return verdict === 'infected' || verdict === 'unscannable' ? results[verdict] : verdict;
}

function command(text: string): Html {
  return html`<code dir="ltr">citizen-services ${text}</code>`;
}
