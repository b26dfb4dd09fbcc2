import type { Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import { inboxLinkOf } from '../inbox/inbox-link.ts';
import { loadLetterParts } from '../letters/letter-settings.ts';
import { mailSenderOf } from './create-channels.ts';
import {
  createLetterOutbox,
  createOutbox,
  createSmsOutbox,
  type LetterOutbox,
  type Outbox,
  type SmsOutbox,
} from './demo-outbox.ts';

/** The channels of a demo that capture their messages. A channel with a provider in the settings is absent. */
type DemoOutbox = {
  readonly email?: Outbox;
  readonly sms?: SmsOutbox;
  readonly letter?: LetterOutbox;
};

/** Creates the channels that capture messages, for each channel without a provider in the settings. */
export function openDemoOutbox(settings: Settings, root: RootKey): DemoOutbox {
  const { smtpUrl, smsUrl, letterSpool } = settings;
  return {
    ...(smtpUrl === undefined ? { email: createOutbox(mailSenderOf(settings, root)) } : {}),
    ...(smsUrl === undefined ? { sms: createSmsOutbox(inboxLinkOf(settings)) } : {}),
    ...(letterSpool === undefined ? { letter: createLetterOutbox(() => loadLetterParts(settings)) } : {}),
  };
}
