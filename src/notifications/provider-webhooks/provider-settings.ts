import type { SliceDeps } from '../../api/slice.ts';
import { parseSettingFile } from '../../config/setting-file.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { type BounceAddresses, bounceAddressFault, createBounceAddresses } from './bounce.ts';
import { type MailEventMapping, parseMailEvents } from './mail-events.ts';

/** The return addresses of mail; undefined without `BOUNCE_ADDRESS`. Throws `SettingError` for an unusable one. */
export function bounceAddressesOf({
  settings,
  root,
}: Pick<SliceDeps, 'settings' | 'root'>): BounceAddresses | undefined {
  if (settings.bounceAddress === undefined) {
    if (settings.bounceToken === undefined) return undefined;
    throw new SettingError('BOUNCE_TOKEN', 'expected BOUNCE_ADDRESS too, because bounces go to that address');
  }
  const fault = bounceAddressFault(settings.bounceAddress);
  if (fault !== undefined) throw new SettingError('BOUNCE_ADDRESS', fault);
  return createBounceAddresses(settings.bounceAddress, root.derive('bounce-addresses'));
}

/** How the mail provider reports bounces. Its two settings are only valid together. */
export function mailEventsOf({ mailEvents, mailEventsToken }: Settings): MailEventMapping | undefined {
  if ((mailEvents === undefined) !== (mailEventsToken === undefined)) {
    throw new SettingError('MAIL_EVENTS', 'expected MAIL_EVENTS and MAIL_EVENTS_TOKEN together, or neither');
  }
  return mailEvents === undefined ? undefined : parseSettingFile('MAIL_EVENTS', mailEvents, parseMailEvents);
}
