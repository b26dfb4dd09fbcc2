import { baseUrlForLinks } from '../../config/public-url.ts';
import type { Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import { type ConfirmLinks, createConfirmLinks } from './confirm-receipt.ts';
import { createInboxLink, type InboxLink } from './inbox-link.ts';

/** The links by which citizens confirm the receipt of mail; undefined where the address of this server is not known before it starts. */
export function confirmLinksOf({
  settings,
  root,
}: {
  readonly settings: Settings;
  readonly root: RootKey;
}): ConfirmLinks | undefined {
  const url = settings.confirmLinks ? baseUrlForLinks(settings) : undefined;
  return url === undefined ? undefined : createConfirmLinks(url, root.derive('receipt-links'));
}

/** The links by which citizens open a message in their inbox; undefined where the operator names no address for it. */
export function inboxLinkOf({ inboxUrl }: Pick<Settings, 'inboxUrl'>): InboxLink | undefined {
  return inboxUrl === undefined ? undefined : createInboxLink(inboxUrl);
}
