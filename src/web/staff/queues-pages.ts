import type { BufferedResponse } from '../../api/buffered-response.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { requestQuery } from '../../kernel/request-target.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { listQueues } from '../../staff/list-queues.ts';
import { pauseChannel } from '../../staff/pause-channel.ts';
import { resumeChannel } from '../../staff/resume-channel.ts';
import { minuteElement } from '../citizen-layout.ts';
import { readJson } from '../citizen-operations.ts';
import { successBanner } from '../form-parts.ts';
import { type Html, html } from '../html.ts';
import { channelName } from './channel-name.ts';
import { handleReasonedAction, pathPart } from './reasoned-action.ts';
import { staffPaths } from './staff-area.ts';
import { renderStaffPage, type StaffPage, type StaffVisit, withScope } from './staff-page.ts';

/** An item of the response of `listQueues`. */
type Queue = {
  readonly channel: string;
  readonly due: number;
  readonly oldestDueAt: string | null;
  readonly paused: { readonly at: string; readonly name: string; readonly reason: string } | null;
};

/** The pages on which operators see the queues of the channels, pause a channel and resume it. */
export const queuesPages: readonly StaffPage[] = [
  { path: staffPaths.queues, methods: ['GET', 'HEAD'], show: showQueues },
  {
    path: `${staffPaths.queues}/:channel/pause`,
    methods: ['GET', 'HEAD', 'POST'],
    show: withScope('staff:operate', (visit) => handleChange(visit, 'pause')),
  },
  {
    path: `${staffPaths.queues}/:channel/resume`,
    methods: ['GET', 'HEAD', 'POST'],
    show: withScope('staff:operate', (visit) => handleChange(visit, 'resume')),
  },
];

async function showQueues(visit: StaffVisit): Promise<BufferedResponse | Refusal> {
  const answer = await readJson<{ readonly items: readonly Queue[] }>(visit, listQueues);
  if (!('json' in answer)) return answer;
  const { queues, sections } = visit.texts;
  const done = new URLSearchParams(requestQuery(visit.request.url)).get('done');
  const banner = done === 'pause' ? queues.isPaused : done === 'resume' ? queues.isResumed : undefined;
  const content = html`${banner === undefined ? '' : successBanner(banner)}<p>${queues.intro}</p>
    ${answer.json.items.map((queue) => queueCard(visit, queue))}`;
  return renderStaffPage(visit, { title: sections.queues, content, section: 'queues' });
}

function queueCard(visit: StaffVisit, { channel, due, oldestDueAt, paused }: Queue): Html {
  const { texts, layout } = visit;
  const { queues, proposals } = texts;
  const { words } = layout;
  const name = channelName(visit, channel);
  const change = paused === null ? 'pause' : 'resume';
  const state =
    paused === null
      ? ''
      : html`<dl class="summary"><dt>${queues.paused}</dt><dd>${minuteElement(words, paused.at)}</dd>
          <dt>${queues.pausedBy}</dt><dd><bdi>${paused.name}</bdi></dd>
          <dt>${proposals.reason}</dt><dd><bdi>${paused.reason}</bdi></dd></dl>`;
  return html`<section class="card" aria-labelledby="${channel}"><h2 id="${channel}">${name}</h2>
      <p>${formatMessage(words.language, queues.waiting, { count: due })}</p>
      ${oldestDueAt === null ? '' : html`<p>${queues.oldest} ${minuteElement(words, oldestDueAt)}</p>`}
      ${state}
      <p><a href="${staffPaths.queues}/${channel}/${change}">${queues[change]}: ${name}</a></p></section>`;
}

async function handleChange(visit: StaffVisit, change: 'pause' | 'resume'): Promise<BufferedResponse | Refusal> {
  const { queues } = visit.texts;
  const channel = pathPart(visit, 1);
  return await handleReasonedAction(visit, {
    section: 'queues',
    title: `${channelName(visit, channel)}: ${change === 'pause' ? queues.pauseTitle : queues.resumeTitle}`,
    text: change === 'pause' ? queues.pauseText : queues.resumeText,
    button: queues[change],
    isSerious: change === 'pause',
    needsReason: true,
    backTo: staffPaths.queues,
    operation: change === 'pause' ? pauseChannel : resumeChannel,
    params: { channel },
    doneAt: `${staffPaths.queues}?done=${change}`,
    alreadyDoneAs: 'conflict',
  });
}
