import { type Category, categories } from '../notifications/notification/notification.ts';
import type { PageLayout } from './citizen-layout.ts';
import { postForm } from './form-parts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

const places = ['inbox', 'archive', 'all'] as const;
const states = ['unread', 'read'] as const;
/** The longest text that `searchInbox` accepts. */
const maxTextLength = 200;

/** The messages that a page shows. An empty text means that the part does not matter. */
export type MessagesFilter = {
  readonly where: (typeof places)[number];
  readonly sender: string;
  readonly category: Category | '';
  readonly state: (typeof states)[number] | '';
};

/** Reads the filter of an address or a form. Unknown values count as absent. */
export function parseMessagesFilter(from: URLSearchParams): MessagesFilter {
  const named = <V extends string>(name: string, values: readonly V[]) =>
    values.find((value) => value === from.get(name));
  return {
    where: named('where', places) ?? 'inbox',
    sender: from.get('sender') ?? '',
    category: named('category', categories) ?? '',
    state: named('state', states) ?? '',
  };
}

/** The words of a search, without those that `searchInbox` would refuse. */
export function parseSearchText(from: URLSearchParams): string {
  return [...(from.get('text') ?? '').trim()].slice(0, maxTextLength).join('');
}

/** Whether a filter shows more or fewer messages than the inbox or the archive. */
export function isNarrowed({ where, sender, category, state }: MessagesFilter): boolean {
  return where === 'all' || sender !== '' || category !== '' || state !== '';
}

/** The members of a filter for the operations on the inbox. */
export function filterMembers({ where, sender, category, state }: MessagesFilter) {
  return {
    ...(where === 'all' ? {} : { archived: where === 'archive' }),
    ...(sender === '' ? {} : { senderId: sender }),
    ...(category === '' ? {} : { category }),
    ...(state === '' ? {} : { unread: state === 'unread' }),
  };
}

/** The address of the messages that fit a filter, after the message `before`. */
export function messagesLink({ where, ...filter }: MessagesFilter, before = ''): string {
  const all = { where: where === 'inbox' ? '' : where, ...filter, before };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
  return query.size === 0 ? citizenPaths.home : `${citizenPaths.home}?${query}`;
}

type FilterForm = {
  readonly filter: MessagesFilter;
  readonly text: string;
  readonly senders: readonly { readonly id: string; readonly name: string }[];
};

/**
 * The form that searches and filters. It is sent in the body, because addresses are stored in histories and logs, and the words of a
 * search can be personal data.
 */
export function messagesForm(frame: PageLayout, { filter, text, senders }: FilterForm): Html {
  const { messages } = frame.words;
  const isUsed = isNarrowed(filter) || text !== '';
  const content = html`
        <p><label for="text">${messages.text}</label>
          <input type="search" id="text" name="text" value="${text}" maxlength="${maxTextLength}" autocomplete="off" /></p>
        ${selectField('where', messages.where, isUsed ? filter.where : 'all', [
          ['all', messages.everywhere],
          ['inbox', messages.inbox],
          ['archive', messages.archive],
        ])}
        ${selectField('sender', messages.sender, filter.sender, [
          ['', messages.anySender],
          ...senders.map(({ id, name }) => [id, name] as const),
        ])}
        ${selectField('category', messages.category, filter.category, [
          ['', messages.anyCategory],
          ...categories.map((category) => [category, messages.categories[category]] as const),
        ])}
        ${selectField('state', messages.state, filter.state, [
          ['', messages.anyState],
          ...states.map((state) => [state, messages[state]] as const),
        ])}
        <p><button type="submit">${messages.search}</button></p>`;
  const form = postForm(frame, { action: citizenPaths.home, content, className: 'filters' });
  return html`<details class="screen-only"${trustedHtml(isUsed ? ' open' : '')}><summary>${messages.find}</summary>${form}</details>`;
}

/** The form that continues a search after the message `next`. */
export function continueSearchForm(
  frame: PageLayout,
  { filter, text }: Pick<FilterForm, 'filter' | 'text'>,
  { next, searched }: { readonly next: string; readonly searched: number },
): Html {
  const fields = Object.entries({ text, ...filter, after: next, searched: String(searched) });
  const content = html`${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <p><button type="submit">${frame.words.messages.searchOlder}</button></p>`;
  return postForm(frame, { action: citizenPaths.home, content });
}

type Option = readonly [value: string, text: string];

function selectField(name: string, label: string, chosen: string, options: readonly Option[]): Html {
  return html`<p><label for="${name}">${label}</label>
      <select id="${name}" name="${name}">${options.map(
        ([value, text]) =>
          html`<option value="${value}"${value === chosen ? trustedHtml(' selected') : ''}>${text}</option>`,
      )}</select></p>`;
}
