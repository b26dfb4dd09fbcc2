import { html } from 'hono/html';
import { type CodeChannel, codeLimits } from '../notifications/contact/contact-code.ts';
import { timedChannelNames } from '../notifications/notification.ts';
import { dayOf } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import type { CitizenWords } from './citizen-words.ts';
import type { Content } from './page.ts';

/** What `readPreferences` answers about addresses. */
export type Addresses = {
  readonly verified: readonly { readonly channel: string; readonly address: string; readonly verifiedAt: string }[];
  readonly awaiting: readonly { readonly channel: string; readonly address: string }[];
  readonly confirmable: readonly string[];
};

/** What is wrong with the form of an address or code, by which channel, and the address that was typed. */
export type AddressFault = {
  readonly fault: 'address' | 'wrong' | 'needed' | 'tooMany';
  readonly channel: CodeChannel;
  readonly typed?: string;
};

/** What is told of such a fault, and in which field it is put right. */
export function addressFaultOf({ contact }: CitizenWords, { fault, channel }: AddressFault) {
  const { faults } = contact.addresses;
  return {
    text: faults[fault === 'address' ? channel : fault],
    field: `${fault === 'wrong' ? 'code' : 'address'}-${channel}`,
  };
}

/** The addresses that are used, each with what a citizen can do about it. */
export function addressesOf(words: CitizenWords, addresses: Addresses, fault: AddressFault | undefined): Content {
  return html`<h2>${words.contact.addresses.title}</h2>
    ${timedChannelNames.map((channel) => {
      const own = fault?.channel === channel ? fault : undefined;
      return html`<h3>${words.contact.channels[channel]}</h3>
        ${usedOf(words, channel, addresses)}
        ${awaitingOf(words, channel, addresses, own)}
        ${addresses.confirmable.includes(channel) ? askOf(words, channel, own) : ''}`;
    })}`;
}

function usedOf(words: CitizenWords, channel: CodeChannel, { verified }: Addresses): Content {
  const { verified: since, unverified, remove } = words.contact.addresses;
  const used = verified.find((one) => one.channel === channel);
  if (used === undefined) return html`<p>${unverified}</p>`;
  return html`<p><bdi>${used.address}</bdi>, ${since} ${dayOf(words, used.verifiedAt)}</p>
    ${form({ what: 'remove', channel }, html`<button type="submit">${remove[channel]}</button>`)}`;
}

function awaitingOf(
  words: CitizenWords,
  channel: CodeChannel,
  { awaiting }: Addresses,
  fault: AddressFault | undefined,
): Content | '' {
  const { awaits, code, confirm } = words.contact.addresses;
  const sent = awaiting.find((one) => one.channel === channel);
  if (sent === undefined) return '';
  const id = `code-${channel}`;
  const wrong = fault?.fault === 'wrong' ? fault : undefined;
  return form(
    { what: 'confirm', channel },
    html`<p><bdi>${sent.address}</bdi>: ${awaits(codeLimits.minutes)}</p>
      <p><label for="${id}">${code[channel]}</label>${besideOf(words, wrong)}
        <input id="${id}" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required${marksOf(words, wrong)} /></p>
      <p><button type="submit">${confirm[channel]}</button></p>`,
  );
}

function askOf(words: CitizenWords, channel: CodeChannel, fault: AddressFault | undefined): Content {
  const { own, send } = words.contact.addresses;
  const id = `address-${channel}`;
  const wrong = fault?.fault === 'wrong' ? undefined : fault;
  const kind = channel === 'email' ? 'email' : 'tel';
  return form(
    { what: 'ask', channel },
    html`<p><label for="${id}">${own[channel]}</label>${besideOf(words, wrong)}
        <input id="${id}" name="address" type="${kind}" autocomplete="${kind}" maxlength="254" required value="${wrong?.typed ?? ''}"${marksOf(words, wrong)} /></p>
      <p><button type="submit">${send[channel]}</button></p>`,
  );
}

/** A form of the page; `what` it asks for stands in it. What is wrong is told by the page, in its own words. */
function form({ what, channel }: { readonly what: string; readonly channel: CodeChannel }, content: Content): Content {
  return html`<form method="post" action="${citizenPaths.contact}" novalidate>
      <input type="hidden" name="what" value="${what}" /><input type="hidden" name="channel" value="${channel}" />
      ${content}</form>`;
}

function besideOf(words: CitizenWords, fault: AddressFault | undefined): Content | '' {
  if (fault === undefined) return '';
  const { text, field } = addressFaultOf(words, fault);
  return html`<span class="fault" id="fault-${field}">${text}</span>`;
}

function marksOf(words: CitizenWords, fault: AddressFault | undefined): Content | '' {
  return fault === undefined
    ? ''
    : html` aria-invalid="true" aria-describedby="fault-${addressFaultOf(words, fault).field}"`;
}
