import type { BufferedResponse } from '../api/buffered-response.ts';
import { pageLanguages } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import { type CodeChannel, contactCodeLimits } from '../notifications/contact/contact-code.ts';
import type { ContactPreferences } from '../notifications/contact/contact-preferences.ts';
import { declinableChannelNames, externalChannelNames } from '../notifications/notification/notification.ts';
import { commaOf, dayElement, type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import {
  type ChannelFields,
  type ContactFault,
  declinedValue,
  type ExternalChannel,
  type HourFields,
  preferenceRanks,
} from './contact-form.ts';
import {
  type FieldFault,
  faultSummary,
  faultText,
  fieldAttributes,
  formActions,
  keptFormBanner,
  postForm,
  type SelectOption,
  selectField,
  successBanner,
} from './form-parts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { languageName } from './language-names.ts';
import { citizenPaths } from './sign-in-flow.ts';
import { timeZoneName, timeZoneOptions, type ZoneDefaults } from './time-zone-options.ts';

// Each form has a page of its own, so that sending one loses nothing that was typed in another.

/** The response of `readPreferences`. */
export type Preferences = ContactPreferences & {
  readonly verified: readonly { readonly channel: string; readonly address: string; readonly verifiedAt: string }[];
  readonly awaiting: readonly { readonly channel: string; readonly address: string; readonly endsAt: string }[];
  readonly confirmable: readonly string[];
};

/** The paths of the forms, each with a page of its own. */
export const contactPaths = {
  channels: `${citizenPaths.contact}/channels`,
  hours: `${citizenPaths.contact}/hours`,
  language: `${citizenPaths.contact}/language`,
  printSize: `${citizenPaths.contact}/print-size`,
  address: { email: `${citizenPaths.contact}/email`, sms: `${citizenPaths.contact}/phone` },
  code: { email: `${citizenPaths.contact}/email/code`, sms: `${citizenPaths.contact}/phone/code` },
  remove: { email: `${citizenPaths.contact}/email/remove`, sms: `${citizenPaths.contact}/phone/remove` },
  stop: { email: `${citizenPaths.contact}/email/stop`, sms: `${citizenPaths.contact}/phone/stop` },
} as const;

/** The results that the redirect after a form reports. */
export const completedForms = [
  'saved',
  'code-sent',
  'confirmed-email',
  'confirmed-sms',
  'removed-email',
  'removed-sms',
] as const;
/** A form that succeeded. */
export type CompletedForm = (typeof completedForms)[number];

/** The content of a form page: the values of the form, its faults, and whether the form was kept after the session had ended. */
export type FormState<Fields> = {
  readonly fields: Fields;
  readonly faults: readonly FieldFault[];
  readonly isKept?: boolean;
};

/** The overview: what is stored now, the form for the newest code, and a link to each other form. */
export function contactOverviewPage(
  frame: PageLayout,
  preferences: Preferences,
  done: CompletedForm | undefined,
): BufferedResponse {
  const { words } = frame;
  const { contact } = words;
  const rows: readonly (readonly [string, Html])[] = [
    ...declinableChannelNames.map(
      (channel) => [contact.addresses.label[channel], addressRow(frame, channel, { preferences, done })] as const,
    ),
    [contact.order.label, orderRow(words, preferences)],
    [contact.hours.label, hoursRow(words, preferences)],
    [contact.language.label, languageRow(words, preferences)],
    [contact.printSize.label, printSizeRow(words, preferences)],
  ];
  // After a code was sent, the field for the code has the focus, and its description says where the code is.
  const banner = done === undefined || done === 'code-sent' ? '' : successBanner(doneText(contact, done));
  const content = html`${banner}<p>${contact.intro}</p>
    <dl class="summary">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  return renderLayout(frame, { title: contact.title, content, current: 'contact' });
}

type ContactTexts = CitizenTexts['contact'];

function doneText({ saved, addresses }: ContactTexts, done: Exclude<CompletedForm, 'code-sent'>): string {
  const texts: Readonly<Record<typeof done, string>> = {
    saved,
    'confirmed-email': addresses.done.confirmed.email,
    'confirmed-sms': addresses.done.confirmed.sms,
    'removed-email': addresses.done.removed.email,
    'removed-sms': addresses.done.removed.sms,
  };
  return texts[done];
}

const linkTo = (path: string, text: string) => html`<a href="${path}">${text}</a>`;

function addressRow(
  frame: PageLayout,
  channel: CodeChannel,
  { preferences, done }: { readonly preferences: Preferences; readonly done: CompletedForm | undefined },
): Html {
  const { verified, awaiting, confirmable, declined } = preferences;
  const { words } = frame;
  const { addresses, order } = words.contact;
  const used = verified.find((one) => one.channel === channel);
  const sent = awaiting.find((one) => one.channel === channel);
  // A page has one form, so only the newest code can be entered here.
  const isNewest = sent !== undefined && awaiting.every((one) => one.endsAt <= sent.endsAt);
  const links = [
    ...(sent === undefined || isNewest ? [] : [linkTo(contactPaths.code[channel], addresses.codeTitle[channel])]),
    ...(confirmable.includes(channel) ? [linkTo(contactPaths.address[channel], addresses.title[channel])] : []),
    ...(used === undefined ? [] : [linkTo(contactPaths.remove[channel], addresses.remove[channel])]),
    ...(declined.some((one) => one === channel) ? [] : [linkTo(contactPaths.stop[channel], order.stop[channel].title)]),
  ];
  const value =
    used === undefined
      ? html`<p>${addresses.unverified[channel]} ${linkTo(citizenPaths.record, words.nav.record)}</p>`
      : html`<p><bdi>${used.address}</bdi>${commaOf(words)} ${addresses.verified} ${dayElement(words, used.verifiedAt)}</p>`;
  return html`${value}${isNewest ? codeForm(frame, { channel, sentTo: sent.address }, done === 'code-sent') : ''}${links.map((link) => html`<p>${link}</p>`)}`;
}

function codeForm(frame: PageLayout, sent: SentCode, hasFocus: boolean): Html {
  const { words } = frame;
  const fields = codeFields(words, sent, { fields: '', faults: [], hasFocus });
  const button = html`<p class="actions">${codeButton(words, sent.channel)}</p>`;
  return postForm(frame, { action: contactPaths.code[sent.channel], content: html`${fields}${button}` });
}

function orderRow({ contact }: CitizenTexts, { channels, declined }: Preferences): Html {
  const { order } = contact;
  const named = channels.map((one) => contact.channels[one]);
  const stopped = declined.map((one) => `${contact.channels[one]}: ${order.never}`);
  return html`${named.length === 0 ? html`<p>${order.noPreference}</p>` : html`<ol>${named.map((name) => html`<li>${name}</li>`)}</ol>`}
    ${stopped.map((text) => html`<p>${text}</p>`)}<p>${linkTo(contactPaths.channels, order.title)}</p>`;
}

function hoursRow(words: CitizenTexts, { hours }: Preferences): Html {
  const { anyHour, keep, range, title } = words.contact.hours;
  const value =
    hours === null
      ? html`<p>${anyHour}</p>`
      : html`${hours.channels.map((one) => html`<p>${keep[one]}</p>`)}
        <p>${formatMessage(words.language, range, { from: `${hours.from}:00`, until: `${hours.until}:00` })}${commaOf(words)} ${timeZoneName(words.language, hours.timeZone)}</p>`;
  return html`${value}<p>${linkTo(contactPaths.hours, title)}</p>`;
}

function languageRow({ contact, language }: CitizenTexts, { language: chosen }: Preferences): Html {
  const { noPreference, title } = contact.language;
  return html`<p>${chosen === null ? noPreference : languageName(language, chosen)}</p>
    <p>${linkTo(contactPaths.language, title)}</p>`;
}

function printSizeRow({ contact }: CitizenTexts, { largePrint }: Preferences): Html {
  const { large, normal, title } = contact.printSize;
  return html`<p>${largePrint === true ? large : normal}</p><p>${linkTo(contactPaths.printSize, title)}</p>`;
}

type FormPage = {
  readonly title: string;
  readonly path: string;
  readonly form: Html;
  readonly button: Html;
  readonly state: Omit<FormState<unknown>, 'fields'>;
};

/** A page with one form. */
function formPage(frame: PageLayout, { title, path, form, button, state }: FormPage): BufferedResponse {
  const { words } = frame;
  const content = html`${state.isKept === true ? keptFormBanner(words) : ''}${faultSummary(words, state.faults)}
    ${postForm(frame, { action: path, content: html`${form}${formActions(button, words, citizenPaths.contact)}` })}`;
  const hasFaults = state.faults.length > 0;
  return renderLayout(frame, { title, content, current: 'contact', status: hasFaults ? 400 : 200, hasFaults });
}

const saveButton = ({ contact }: CitizenTexts) => html`<button type="submit">${contact.save}</button>`;

/** The faults of a form for preferences, each with the field in which the citizen can correct it. */
export function contactFaults(words: CitizenTexts, faults: readonly ContactFault[], field: string): FieldFault[] {
  const { faults: texts } = words.contact;
  return faults.map((fault) => ({ field: fault === 'timeZone' ? 'timeZone' : field, text: texts[fault] }));
}

/** The form for the order of the channels, and for those that the citizen turns off. */
export function channelsPage(frame: PageLayout, { fields, ...state }: FormState<ChannelFields>): BufferedResponse {
  const { words } = frame;
  const { order, channels } = words.contact;
  const [first, second, third] = preferenceRanks;
  const ordered: SelectOption[] = [
    ['', order.noPreference],
    [first, order.places.first],
    [second, order.places.second],
    [third, order.places.third],
  ];
  const optionsOf = (channel: ExternalChannel): SelectOption[] =>
    channel === 'letter' ? ordered : [...ordered, [declinedValue, order.never]];
  const form = html`<p id="order-hint">${order.hint}</p>${externalChannelNames.map(
    (channel) =>
      html`<p>${selectField({
        name: channel,
        label: channels[channel],
        faults: state.faults,
        hint: 'order-hint',
        options: optionsOf(channel),
        chosen: fields[channel],
      })}</p>`,
  )}`;
  return formPage(frame, { title: order.title, path: contactPaths.channels, form, button: saveButton(words), state });
}

/** Asks before a channel is turned off. `stopped` are the channels that the citizen uses until now. */
export function stopChannelsPage(
  frame: PageLayout,
  fields: ChannelFields,
  stopped: readonly CodeChannel[],
): BufferedResponse {
  const { words } = frame;
  const texts = words.contact.order.stop;
  const { title, text } = texts[stopped.length > 1 ? 'both' : (stopped[0] ?? 'both')];
  const form = html`<p>${text}</p>${externalChannelNames.map(
    (channel) => html`<input type="hidden" name="${channel}" value="${fields[channel]}" />`,
  )}<input type="hidden" name="sure" value="yes" />`;
  const button = html`<button type="submit" class="warning">${title}</button>`;
  return formPage(frame, { title, path: contactPaths.channels, form, button, state: { faults: [] } });
}

/** The form for the hours in which messages may come. */
export function hoursPage(
  frame: PageLayout,
  zones: ZoneDefaults,
  { fields, ...state }: FormState<HourFields>,
): BufferedResponse {
  const { words } = frame;
  const { hint, keep, from, until, timeZone, choose, title, otherZones } = words.contact.hours;
  const unset: SelectOption = ['', choose];
  const hours = [unset, ...Array.from({ length: 25 }, (_, hour): SelectOption => [String(hour), `${hour}:00`])];
  const select = (
    name: 'from' | 'until' | 'timeZone',
    label: string,
    options: Parameters<typeof selectField>[0]['options'],
  ) => html`<p>${selectField({ name, label, options, chosen: fields[name], faults: state.faults })}</p>`;
  const form = html`<p>${hint}</p>
    ${declinableChannelNames.map((channel) => {
      const ticked = fields.hoursFor.includes(channel) ? trustedHtml(' checked') : '';
      return html`<p class="choice"><input type="checkbox" id="hours-${channel}" name="hoursFor" value="${channel}"${ticked} />
        <label for="hours-${channel}">${keep[channel]}</label></p>`;
    })}
    ${select('from', from, hours)}${select('until', until, hours)}
    ${select('timeZone', timeZone, [unset, ...timeZoneOptions(words.language, zones, otherZones)])}`;
  return formPage(frame, { title, path: contactPaths.hours, form, button: saveButton(words), state });
}

/** The form for the language of messages. `fields` is its tag, or empty. */
export function languagePage(frame: PageLayout, state: FormState<string>): BufferedResponse {
  const { words } = frame;
  const texts = words.contact.language;
  const known = new Set([...pageLanguages, ...(state.fields === '' ? [] : [state.fields])]);
  const named = [...known].map((tag): SelectOption => [tag, languageName(words.language, tag)]);
  const sorted = named.sort(([, one], [, other]) => one.localeCompare(other, words.language));
  return choicePage(frame, { ...texts, name: 'language', options: [['', texts.noPreference], ...sorted] }, state);
}

/** The form for the print size of letters. `fields` is `normal` or `large`. */
export function printSizePage(frame: PageLayout, state: FormState<string>): BufferedResponse {
  const texts = frame.words.contact.printSize;
  const options: SelectOption[] = [
    ['normal', texts.normal],
    ['large', texts.large],
  ];
  return choicePage(frame, { ...texts, name: 'printSize', options }, state);
}

type Choice = {
  readonly name: 'language' | 'printSize';
  readonly title: string;
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly SelectOption[];
};

/** A page whose form is one list. */
function choicePage(frame: PageLayout, choice: Choice, { fields, ...state }: FormState<string>): BufferedResponse {
  const { name, title, label, hint, options } = choice;
  const hintId = hint === undefined ? {} : { hint: `${name}-hint` };
  const field = selectField({ name, label, faults: state.faults, ...hintId, options, chosen: fields });
  const form = html`${hint === undefined ? '' : html`<p id="${name}-hint">${hint}</p>`}<p>${field}</p>`;
  return formPage(frame, { title, path: contactPaths[name], form, button: saveButton(frame.words), state });
}

/** The form for a new address. `fields` is what the citizen typed. */
export function addressPage(
  frame: PageLayout,
  channel: CodeChannel,
  { fields: typed, ...state }: FormState<string>,
): BufferedResponse {
  const { words } = frame;
  const { own, hint, send, title } = words.contact.addresses;
  const kind = channel === 'email' ? 'email' : 'tel';
  const form = html`<p id="address-hint">${hint[channel]}</p>
    <p><label for="address">${own[channel]}</label>${faultText(state.faults, 'address')}
      <input id="address" name="address" type="${kind}" autocomplete="${kind}" maxlength="254" required value="${typed}"${fieldAttributes(state.faults, 'address', 'address-hint')} /></p>`;
  const button = html`<button type="submit">${send[channel]}</button>`;
  return formPage(frame, { title: title[channel], path: contactPaths.address[channel], form, button, state });
}

/** `sentTo` is the address to which the code was sent. */
type SentCode = { readonly channel: CodeChannel; readonly sentTo: string };

/** The form for the code. */
export function codePage(frame: PageLayout, sent: SentCode, { fields: typed, ...state }: FormState<string>) {
  const { words } = frame;
  const form = codeFields(words, sent, { fields: typed, ...state });
  const button = codeButton(words, sent.channel);
  const { codeTitle } = words.contact.addresses;
  return formPage(frame, {
    title: codeTitle[sent.channel],
    path: contactPaths.code[sent.channel],
    form,
    button,
    state,
  });
}

function codeFields(
  { contact, language }: CitizenTexts,
  { channel, sentTo }: SentCode,
  { fields: typed, faults, hasFocus = false }: FormState<string> & { readonly hasFocus?: boolean },
): Html {
  const { codeSent, code, again } = contact.addresses;
  const minutes = contactCodeLimits.minutes;
  // The address is isolated, so that its text direction does not change the order of the other words (UAX #9, 2.7).
  const sent = formatMessage(language, codeSent, { address: `\u2068${sentTo}\u2069`, minutes });
  return html`<p id="code-hint">${sent}</p>
    <p><label for="code">${code[channel]}</label>${faultText(faults, 'code')}
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required value="${typed}"${fieldAttributes(faults, 'code', 'code-hint')}${hasFocus ? trustedHtml(' autofocus') : ''} /></p>
    <p><a href="${contactPaths.address[channel]}">${again}</a></p>`;
}

const codeButton = ({ contact }: CitizenTexts, channel: CodeChannel) =>
  html`<button type="submit">${contact.addresses.confirm[channel]}</button>`;

/** Asks before an address is removed. */
export function removeAddressPage(frame: PageLayout, channel: CodeChannel, address: string): BufferedResponse {
  const { removeText, remove } = frame.words.contact.addresses;
  const form = html`<p><bdi>${address}</bdi></p><p>${removeText[channel]}</p>`;
  const button = html`<button type="submit" class="warning">${remove[channel]}</button>`;
  const path = contactPaths.remove[channel];
  return formPage(frame, { title: remove[channel], path, form, button, state: { faults: [] } });
}
