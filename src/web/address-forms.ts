import { formatMessage } from '../locales/message-format.ts';
import { type CodeChannel, contactCodeLimits } from '../notifications/contact/contact-code.ts';
import { declinableChannelNames } from '../notifications/notification/notification.ts';
import { dayElement } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The part of the response of `readPreferences` about addresses. */
export type ContactAddresses = {
  readonly verified: readonly { readonly channel: string; readonly address: string; readonly verifiedAt: string }[];
  readonly awaiting: readonly { readonly channel: string; readonly address: string }[];
  readonly confirmable: readonly string[];
};

/** The fault of an address or code form, its channel, and the address that was entered. */
export type AddressFault = {
  readonly fault: 'address' | 'wrong' | 'needed' | 'tooMany';
  readonly channel: CodeChannel;
  readonly typed?: string;
};

/** The text for a fault, and the field in which the citizen can correct it. */
export function describeAddressFault({ contact }: CitizenTexts, { fault, channel }: AddressFault) {
  const { faults } = contact.addresses;
  return {
    text: faults[fault === 'address' ? channel : fault],
    field: `${fault === 'wrong' ? 'code' : 'address'}-${channel}`,
  };
}

/** The addresses in use, each with the forms to verify, replace or remove it. */
export function addressForms(words: CitizenTexts, addresses: ContactAddresses, fault: AddressFault | undefined): Html {
  return html`<h2>${words.contact.addresses.title}</h2>
    ${declinableChannelNames.map((channel) => {
      const own = fault?.channel === channel ? fault : undefined;
      return html`<h3>${words.contact.channels[channel]}</h3>
        ${verifiedAddress(words, channel, addresses)}
        ${codeForm(words, channel, addresses, own)}
        ${addresses.confirmable.includes(channel) ? addressForm(words, channel, own) : ''}`;
    })}`;
}

function verifiedAddress(words: CitizenTexts, channel: CodeChannel, { verified }: ContactAddresses): Html {
  const { verified: since, unverified, remove } = words.contact.addresses;
  const used = verified.find((one) => one.channel === channel);
  if (used === undefined) return html`<p>${unverified}</p>`;
  return html`<p><bdi>${used.address}</bdi>, ${since} ${dayElement(words, used.verifiedAt)}</p>
    ${channelForm({ what: 'remove', channel }, html`<button type="submit">${remove[channel]}</button>`)}`;
}

function codeForm(
  words: CitizenTexts,
  channel: CodeChannel,
  { awaiting }: ContactAddresses,
  fault: AddressFault | undefined,
): Html | '' {
  const { codeSent, code, confirm } = words.contact.addresses;
  const sent = awaiting.find((one) => one.channel === channel);
  if (sent === undefined) return '';
  const id = `code-${channel}`;
  const wrong = fault?.fault === 'wrong' ? fault : undefined;
  return channelForm(
    { what: 'confirm', channel },
    html`<p><bdi>${sent.address}</bdi>: ${formatMessage(words.language, codeSent, { minutes: contactCodeLimits.minutes })}</p>
      <p><label for="${id}">${code[channel]}</label>${faultText(words, wrong)}
        <input id="${id}" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required${faultAttributes(words, wrong)} /></p>
      <p><button type="submit">${confirm[channel]}</button></p>`,
  );
}

function addressForm(words: CitizenTexts, channel: CodeChannel, fault: AddressFault | undefined): Html {
  const { own, send } = words.contact.addresses;
  const id = `address-${channel}`;
  const wrong = fault?.fault === 'wrong' ? undefined : fault;
  const kind = channel === 'email' ? 'email' : 'tel';
  return channelForm(
    { what: 'ask', channel },
    html`<p><label for="${id}">${own[channel]}</label>${faultText(words, wrong)}
        <input id="${id}" name="address" type="${kind}" autocomplete="${kind}" maxlength="254" required value="${wrong?.typed ?? ''}"${faultAttributes(words, wrong)} /></p>
      <p><button type="submit">${send[channel]}</button></p>`,
  );
}

/** A form whose hidden fields name the action. The server reports faults, so that their texts are in the citizen's language. */
function channelForm({ what, channel }: { readonly what: string; readonly channel: CodeChannel }, content: Html): Html {
  return html`<form method="post" action="${citizenPaths.contact}" novalidate>
      <input type="hidden" name="what" value="${what}" /><input type="hidden" name="channel" value="${channel}" />
      ${content}</form>`;
}

function faultText(words: CitizenTexts, fault: AddressFault | undefined): Html | '' {
  if (fault === undefined) return '';
  const { text, field } = describeAddressFault(words, fault);
  return html`<span class="fault" id="fault-${field}">${text}</span>`;
}

function faultAttributes(words: CitizenTexts, fault: AddressFault | undefined): Html | '' {
  return fault === undefined
    ? ''
    : html` aria-invalid="true" aria-describedby="fault-${describeAddressFault(words, fault).field}"`;
}
