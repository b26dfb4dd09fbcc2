import type { StaffVisit } from './staff-page.ts';

/** The name of a channel in the language of the page. */
export function channelName({ texts, layout }: Pick<StaffVisit, 'texts' | 'layout'>, channel: string): string {
  const names: Readonly<Record<string, string>> = { ...layout.words.contact.channels, inbox: texts.queues.inbox };
  return names[channel] ?? channel;
}
