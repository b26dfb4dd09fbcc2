import type { BufferedResponse } from '../api/buffered-response.ts';
import type { OperationResponse } from '../api/operation.ts';
import type { DocumentFile } from '../documents/own-document.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestPath, requestQuery } from '../kernel/request-target.ts';
import { exportInbox } from '../notifications/export-inbox.ts';
import { listInboxMessages } from '../notifications/list-inbox-messages.ts';
import {
  archiveInboxMessage,
  markInboxMessageUnread,
  restoreInboxMessage,
} from '../notifications/mark-inbox-message.ts';
import { openInboxMessage } from '../notifications/open-inbox-message.ts';
import { searchInbox } from '../notifications/search-inbox.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import { parseForm } from './form-body.ts';
import { type DownloadedMessage, downloadDocument, downloadHeaders, maxDownloaded } from './messages-download.ts';
import { filterMembers, messagesLink, parseMessagesFilter, parseSearchText } from './messages-filter.ts';
import {
  completedActions,
  type InboxList,
  messagePage,
  messagesPage,
  type OpenedMessage,
  searchPage,
  titleOf,
} from './messages-page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The format and size of a document that its citizen can open now. */
export type OwnFileOf = (id: string, citizenId: string) => Promise<DocumentFile | undefined>;

/** Attempts to open a message while another operation changes it. */
const maxTries = 4;

/** The forms of a message: the operation, and the message that the list then shows. */
const actions = {
  archive: { operation: archiveInboxMessage, done: 'archived' },
  restore: { operation: restoreInboxMessage, done: 'restored' },
  unread: { operation: markInboxMessageUnread, done: 'unread' },
} as const;

/**
 * Shows the list of messages; a POST is a search, or a filter that becomes an address. A search that a citizen sent after the session
 * had ended runs after the sign-in.
 */
export async function handleMessages(visit: CitizenRequest): Promise<BufferedResponse | Refusal> {
  if (visit.request.method === 'POST') return await search(visit, await parseForm(visit.request));
  if (visit.keptForm === undefined) return await showMessages(visit);
  const found = await search(visit, visit.keptForm);
  return 'slug' in found ? await showMessages(visit) : found;
}

async function search(visit: CitizenRequest, form = new URLSearchParams()): Promise<BufferedResponse | Refusal> {
  const filter = parseMessagesFilter(form);
  const text = parseSearchText(form);
  if (text === '') return redirect(messagesLink(filter));
  const after = form.get('after');
  const answer = await readJson<InboxList & { readonly searched: number }>(visit, searchInbox, {
    json: { text, ...filterMembers(filter), ...(after === null ? {} : { cursor: after }) },
  });
  const searched = Math.max(0, Number.parseInt(form.get('searched') ?? '0', 10) || 0);
  return 'json' in answer ? searchPage(visit.view, answer.json, { filter, text, searched }) : answer;
}

async function showMessages(visit: CitizenRequest): Promise<BufferedResponse | Refusal> {
  const query = new URLSearchParams(requestQuery(visit.request.url));
  const filter = parseMessagesFilter(query);
  const before = query.get('before');
  const done = completedActions.find((one) => one === query.get('done'));
  const members = Object.entries(filterMembers(filter)).map(([name, value]) => [name, String(value)]);
  const answer = await readJson<InboxList>(visit, listInboxMessages, {
    query: { ...Object.fromEntries(members), ...(before === null ? {} : { cursor: before }) },
  });
  return 'json' in answer ? messagesPage(visit.view, answer.json, { filter, isFirst: before === null, done }) : answer;
}

/** Opens a message and shows it; a POST archives it, restores it or marks it as unread, without opening it. */
export async function handleMessage(visit: CitizenRequest, ownFileOf: OwnFileOf): Promise<BufferedResponse | Refusal> {
  const [, , , id = ''] = requestPath(visit.request.url).split('/');
  if (visit.request.method !== 'POST') {
    const answer = await openMessage(visit, id);
    if (!('json' in answer)) return answer;
    const ids = answer.json.attachments.map((attachment) => attachment.id);
    const files = await Promise.all(ids.map(async (one) => [one, await ownFileOf(one, visit.citizenId)] as const));
    return messagePage(visit.view, answer.json, new Map(files));
  }
  const what = (await parseForm(visit.request))?.get('what');
  const [, action] = Object.entries(actions).find(([name]) => name === what) ?? [];
  if (action === undefined) return redirect(citizenPaths.home);
  const answer = await visit.call(action.operation, visit.token, { params: { id } });
  // The redirect prevents that a reload repeats the action.
  return 'slug' in answer ? answer : redirect(`${citizenPaths.home}?done=${action.done}`);
}

/** Opens a message, and sends it as a file. */
export async function downloadMessage(visit: CitizenRequest): Promise<DownloadResponse | Refusal> {
  const [, , , id = ''] = requestPath(visit.request.url).split('/');
  const answer = await openMessage(visit, id);
  if (!('json' in answer)) return answer;
  const pages = async function* () {
    yield [answer.json];
  };
  return download(visit, { title: titleOf(answer.json), fileName: 'message', pages: pages() });
}

/** Sends all messages as one file, page by page. It opens no message. */
export async function downloadMessages(visit: CitizenRequest): Promise<DownloadResponse | Refusal> {
  // The first page is read before the headers leave, so that a refusal gets a page of its own.
  const first = await exportPage(visit, undefined);
  if (!('json' in first)) return first;
  const pages = async function* () {
    let { items, next } = first.json;
    yield items;
    for (let count = items.length; next !== null && count < maxDownloaded; count += items.length) {
      const answer = await exportPage(visit, next);
      // The browser reports an incomplete file.
      if (!('json' in answer)) throw new TypeError(`a page of a download was refused: ${answer.slug}`);
      ({ items, next } = answer.json);
      yield items;
    }
  };
  return download(visit, { title: visit.view.words.nav.messages, fileName: 'messages', pages: pages() });
}

type ExportPage = { readonly items: readonly DownloadedMessage[]; readonly next: string | null };

async function exportPage(visit: CitizenRequest, cursor: string | undefined) {
  return await readJson<ExportPage>(visit, exportInbox, { json: cursor === undefined ? {} : { cursor } });
}

type DownloadResponse = { readonly stream: Extract<OperationResponse, { stream: unknown }> };
type Download = {
  readonly title: string;
  readonly fileName: string;
  readonly pages: AsyncIterable<readonly DownloadedMessage[]>;
};

function download({ view }: CitizenRequest, { title, fileName, pages }: Download): DownloadResponse {
  const stream = downloadDocument(view, title, pages);
  return { stream: { status: 200, headers: downloadHeaders(fileName), stream } };
}

async function openMessage(visit: CitizenRequest, id: string) {
  const open = () => readJson<OpenedMessage>(visit, openInboxMessage, { params: { id } });
  let answer = await open();
  for (let left = maxTries; left > 0 && 'slug' in answer && answer.slug === 'changed-meanwhile'; left -= 1) {
    answer = await open();
  }
  return answer;
}

function redirect(location: string): BufferedResponse {
  return { status: 303, headers: { location }, body: '' };
}
