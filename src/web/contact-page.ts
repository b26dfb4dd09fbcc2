import type { BufferedResponse } from '../api/buffered-response.ts';
import { memoize } from '../kernel/lru-cache.ts';
import type { ContactPreferences } from '../notifications/contact/contact-preferences.ts';
import { declinableChannelNames, externalChannelNames } from '../notifications/notification/notification.ts';
import { type AddressFault, addressForms, type ContactAddresses, describeAddressFault } from './address-forms.ts';
import { type PageLayout, renderLayout } from './citizen-layout.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import {
  type ContactFault,
  type ContactFields,
  contactFieldsOf,
  declinedValue,
  preferenceRanks,
} from './contact-form.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** The response of `readPreferences`. */
export type Preferences = ContactPreferences & ContactAddresses;

/** The names of the forms in the redirect after success. */
export const completedForms = ['wishes', 'asked', 'confirmed', 'removed'] as const;
export type CompletedForm = (typeof completedForms)[number];

/** The result of the form that was sent before this page: success, or its faults. */
export type FormResult = {
  readonly done?: CompletedForm | undefined;
  readonly faults: readonly ContactFault[];
  /** The submitted preferences; without them the page shows the current ones. */
  readonly fields?: ContactFields | undefined;
  readonly address?: AddressFault | undefined;
};

/** The contact preferences and addresses with their forms. A form that could not be saved is shown again with its faults. */
export function contactPage(
  frame: PageLayout,
  { verified, awaiting, confirmable, ...preferences }: Preferences,
  { done, faults, address, fields = contactFieldsOf(preferences) }: FormResult,
): BufferedResponse {
  const { words } = frame;
  const { contact } = words;
  const faultLinks = [
    ...faults.map((fault) => ({ text: contact.faults[fault], field: fieldOf[fault] })),
    ...(address === undefined ? [] : [describeAddressFault(words, address)]),
  ];
  const content = html`${done === undefined ? '' : html`<p class="note" role="status">${doneText(contact, done)}</p>`}
    ${faultLinks.length === 0 ? '' : faultSummary(contact, faultLinks)}
    <p>${contact.intro}</p>
    ${addressForms(words, { verified, awaiting, confirmable }, address)}
    <h2>${contact.preferences}</h2>
    <form method="post" action="${citizenPaths.contact}">
      <input type="hidden" name="what" value="wishes" />
      ${channelFields(contact, fields, faults)}
      ${hourFields(contact, fields, faults)}
      ${languageField(words, fields)}
      <p><button type="submit">${contact.save}</button></p>
    </form>`;
  const status = faultLinks.length === 0 ? 200 : 400;
  return renderLayout(frame, { title: contact.title, content, current: 'contact', status });
}

type ContactTexts = CitizenTexts['contact'];

function doneText({ saved, addresses }: ContactTexts, done: CompletedForm): string {
  return done === 'wishes' ? saved : addresses.done[done];
}

/** The field in which the citizen can correct each fault. */
const fieldOf = { places: 'email', hours: 'from', timeZone: 'timeZone', form: 'email' } as const;

type FaultLink = { readonly text: string; readonly field: string };

/** The first element of the page, with the focus, so that screen readers read it first. */
function faultSummary({ faults }: ContactTexts, faultLinks: readonly FaultLink[]): Html {
  return html`<div class="faults" role="alert" tabindex="-1" autofocus><h2>${faults.title}</h2>
      <ul>${faultLinks.map(({ text, field }) => html`<li><a href="#${field}">${text}</a></li>`)}</ul></div>`;
}

/** The text of a fault, next to its fields. */
function faultParagraph(
  { faults: words }: ContactTexts,
  faults: readonly ContactFault[],
  fault: ContactFault,
): Html | '' {
  return faults.includes(fault) ? html`<p class="fault" id="fault-${fault}">${words[fault]}</p>` : '';
}

function channelFields(words: ContactTexts, { ranks }: ContactFields, faults: readonly ContactFault[]): Html {
  const { legend, hint, noPreference, places: named, never: declined } = words.order;
  const [first, second, third] = preferenceRanks;
  const ordered: Option[] = [
    ['', noPreference],
    [first, named.first],
    [second, named.second],
    [third, named.third],
  ];
  const marks = faultAttributes(faults, 'places');
  return html`<fieldset><legend>${legend}</legend><p>${hint}</p>${faultParagraph(words, faults, 'places')}
      ${externalChannelNames.map((channel) => {
        const options: Option[] = channel === 'letter' ? ordered : [...ordered, [declinedValue, declined]];
        return selectField({ name: channel, label: words.channels[channel], marks, options, chosen: ranks[channel] });
      })}</fieldset>`;
}

function hourFields(words: ContactTexts, fields: ContactFields, faults: readonly ContactFault[]): Html {
  const { legend, hint, keep, from, until, timeZone, choose } = words.hours;
  const unset: Option = ['', choose];
  const hours = [unset, ...Array.from({ length: 25 }, (_, hour): Option => [String(hour), `${hour}:00`])];
  const zones = [unset, ...timeZones().map((zone): Option => [zone, zone])];
  const marks = faultAttributes(faults, 'hours');
  return html`<fieldset><legend>${legend}</legend><p>${hint}</p>${faultParagraph(words, faults, 'hours')}
      ${declinableChannelNames.map((channel) => {
        const ticked = fields.hoursFor.includes(channel) ? trustedHtml(' checked') : '';
        return html`<p class="choice"><input type="checkbox" id="hours-${channel}" name="hoursFor" value="${channel}"${ticked} />
          <label for="hours-${channel}">${keep[channel]}</label></p>`;
      })}
      ${selectField({ name: 'from', label: from, marks, options: hours, chosen: fields.from })}
      ${selectField({ name: 'until', label: until, marks, options: hours, chosen: fields.until })}
      ${faultParagraph(words, faults, 'timeZone')}
      ${selectField({
        name: 'timeZone',
        label: timeZone,
        options: zones,
        chosen: fields.timeZone,
        marks: faultAttributes(faults, 'timeZone'),
      })}</fieldset>`;
}

function languageField({ contact, language }: CitizenTexts, fields: ContactFields): Html {
  const { label, hint, noPreference } = contact.language;
  const options: Option[] = [['', noPreference], ...languageOptions(language)];
  const marks = html` aria-describedby="language-hint"`;
  return html`${selectField({ name: 'language', label, marks, options, chosen: fields.language })}
    <p id="language-hint">${hint}</p>`;
}

/** The attributes of a field with a fault. */
function faultAttributes(faults: readonly ContactFault[], fault: ContactFault): Html | '' {
  return faults.includes(fault) ? html` aria-invalid="true" aria-describedby="fault-${fault}"` : '';
}

type Option = readonly [value: string, text: string];

type Select = {
  readonly name: string;
  readonly label: string;
  readonly marks: Html | '';
  readonly options: readonly Option[];
  readonly chosen: string;
};

/**
 * A current value that is in no list, set by a client of the API, becomes one more option. Otherwise saving the form would lose
 * it.
 */
function selectField({ name, label, marks, options, chosen }: Select): Html {
  const isListed = options.some(([value]) => value === chosen);
  const all: readonly Option[] = isListed ? options : [...options, [chosen, chosen]];
  return html`<p><label for="${name}">${label}</label>
      <select id="${name}" name="${name}"${marks}>${all.map(
        ([value, text]) =>
          html`<option value="${value}"${value === chosen ? trustedHtml(' selected') : ''}>${text}</option>`,
      )}</select></p>`;
}

function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];

/** The languages with a two-letter tag, named and sorted in the language of the page. */
const languageOptions = memoize(8, (language) => {
  const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
  const tags = alphabet.flatMap((first) => alphabet.map((second) => first + second));
  const known = tags.flatMap((tag): Option[] => {
    const name = Intl.getCanonicalLocales(tag)[0] === tag ? names.of(tag) : undefined;
    return name === undefined ? [] : [[tag, name]];
  });
  return known.sort(([, one], [, other]) => one.localeCompare(other, language));
});
