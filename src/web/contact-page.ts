import { html, raw } from 'hono/html';
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
import type { HtmlContent } from './page.ts';
import { citizenPaths } from './sign-in-flow.ts';

/** What `readPreferences` answers. */
export type Preferences = ContactPreferences & ContactAddresses;

/** What a form of the page came to. */
export const completedForms = ['wishes', 'asked', 'confirmed', 'removed'] as const;
export type CompletedForm = (typeof completedForms)[number];

/** A form that was sent before the page: what it came to, or what is wrong with it. */
export type FormResult = {
  readonly done?: CompletedForm | undefined;
  readonly faults: readonly ContactFault[];
  /** What the form of the wishes had; without it the page shows what is wished now. */
  readonly fields?: ContactFields | undefined;
  readonly address?: AddressFault | undefined;
};

/** How the citizen is reached, and the forms to change that; after one that cannot be kept that one, with what is wrong. */
export function contactPage(
  frame: PageLayout,
  { verified, awaiting, confirmable, ...wishes }: Preferences,
  { done, faults, address, fields = contactFieldsOf(wishes) }: FormResult,
): Promise<BufferedResponse> {
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
      ${wayFields(contact, fields, faults)}
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

/** The field in which each fault is put right. */
const fieldOf = { places: 'email', hours: 'from', timeZone: 'timeZone', form: 'email' } as const;

type FaultLink = { readonly text: string; readonly field: string };

/** Stands first, and has the focus: who hears the page hears it at once. */
function faultSummary({ faults }: ContactTexts, faultLinks: readonly FaultLink[]): HtmlContent {
  return html`<div class="faults" role="alert" tabindex="-1" autofocus><h2>${faults.title}</h2>
      <ul>${faultLinks.map(({ text, field }) => html`<li><a href="#${field}">${text}</a></li>`)}</ul></div>`;
}

/** What is wrong, beside the fields that it is about. */
function faultBeside(
  { faults: words }: ContactTexts,
  faults: readonly ContactFault[],
  fault: ContactFault,
): HtmlContent | '' {
  return faults.includes(fault) ? html`<p class="fault" id="fault-${fault}">${words[fault]}</p>` : '';
}

function wayFields(words: ContactTexts, { ways }: ContactFields, faults: readonly ContactFault[]): HtmlContent {
  const { legend, hint, noPreference, places: named, never: declined } = words.order;
  const [first, second, third] = preferenceRanks;
  const ordered: Option[] = [
    ['', noPreference],
    [first, named.first],
    [second, named.second],
    [third, named.third],
  ];
  const marks = faultAttributes(faults, 'places');
  return html`<fieldset><legend>${legend}</legend><p>${hint}</p>${faultBeside(words, faults, 'places')}
      ${externalChannelNames.map((channel) => {
        const options: Option[] = channel === 'letter' ? ordered : [...ordered, [declinedValue, declined]];
        return selectField({ name: channel, label: words.channels[channel], marks, options, chosen: ways[channel] });
      })}</fieldset>`;
}

function hourFields(words: ContactTexts, fields: ContactFields, faults: readonly ContactFault[]): HtmlContent {
  const { legend, hint, keep, from, until, timeZone, choose } = words.hours;
  const unset: Option = ['', choose];
  const hours = [unset, ...Array.from({ length: 25 }, (_, hour): Option => [String(hour), `${hour}:00`])];
  const zones = [unset, ...timeZones().map((zone): Option => [zone, zone])];
  const marks = faultAttributes(faults, 'hours');
  return html`<fieldset><legend>${legend}</legend><p>${hint}</p>${faultBeside(words, faults, 'hours')}
      ${declinableChannelNames.map((channel) => {
        const ticked = fields.hoursFor.includes(channel) ? raw(' checked') : '';
        return html`<p class="choice"><input type="checkbox" id="hours-${channel}" name="hoursFor" value="${channel}"${ticked} />
          <label for="hours-${channel}">${keep[channel]}</label></p>`;
      })}
      ${selectField({ name: 'from', label: from, marks, options: hours, chosen: fields.from })}
      ${selectField({ name: 'until', label: until, marks, options: hours, chosen: fields.until })}
      ${faultBeside(words, faults, 'timeZone')}
      ${selectField({
        ...{ name: 'timeZone', label: timeZone, options: zones, chosen: fields.timeZone },
        marks: faultAttributes(faults, 'timeZone'),
      })}</fieldset>`;
}

function languageField({ contact, language }: CitizenTexts, fields: ContactFields): HtmlContent {
  const { label, hint, noPreference } = contact.language;
  const options: Option[] = [['', noPreference], ...languageOptions(language)];
  const marks = html` aria-describedby="language-hint"`;
  return html`${selectField({ name: 'language', label, marks, options, chosen: fields.language })}
    <p id="language-hint">${hint}</p>`;
}

/** The attributes of a field that something is wrong with. */
function faultAttributes(faults: readonly ContactFault[], fault: ContactFault): HtmlContent | '' {
  return faults.includes(fault) ? html` aria-invalid="true" aria-describedby="fault-${fault}"` : '';
}

/** A value and what it is called. */
type Option = readonly [value: string, text: string];

type Select = {
  readonly name: string;
  readonly label: string;
  readonly marks: HtmlContent | '';
  readonly options: readonly Option[];
  readonly chosen: string;
};

/** What is chosen and in no list, as a program can state it, is one more option: the form would lose it. */
function selectField({ name, label, marks, options, chosen }: Select): HtmlContent {
  const isListed = options.some(([value]) => value === chosen);
  const all: readonly Option[] = isListed ? options : [...options, [chosen, chosen]];
  return html`<p><label for="${name}">${label}</label>
      <select id="${name}" name="${name}"${marks}>${all.map(
        ([value, text]) => html`<option value="${value}"${value === chosen ? raw(' selected') : ''}>${text}</option>`,
      )}</select></p>`;
}

function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];

/** The languages that have a tag of two letters, as a language names them, in its order. */
const languageOptions = memoize(8, (language) => {
  const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
  const tags = alphabet.flatMap((first) => alphabet.map((second) => first + second));
  const known = tags.flatMap((tag): Option[] => {
    const name = Intl.getCanonicalLocales(tag)[0] === tag ? names.of(tag) : undefined;
    return name === undefined ? [] : [[tag, name]];
  });
  return known.sort(([, one], [, other]) => one.localeCompare(other, language));
});
