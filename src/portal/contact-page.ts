import { html, raw } from 'hono/html';
import type { WholeAnswer } from '../api/whole-answer.ts';
import { remembering } from '../kernel/recent.ts';
import type { ContactWishes } from '../notifications/contact/contact-wishes.ts';
import { leavingChannelNames, timedChannelNames } from '../notifications/notification.ts';
import { type Addresses, type AddressFault, addressesOf, addressFaultOf } from './address-forms.ts';
import { type Frame, framed } from './citizen-frame.ts';
import { citizenPaths } from './citizen-session.ts';
import type { CitizenWords } from './citizen-words.ts';
import { type ContactFault, type ContactFields, fieldsOf, never, places } from './contact-form.ts';
import type { Content } from './page.ts';

/** What `readPreferences` answers. */
export type Preferences = ContactWishes & Addresses;

/** What a form of the page came to. */
export const doneWords = ['wishes', 'asked', 'confirmed', 'removed'] as const;
export type Done = (typeof doneWords)[number];

/** A form that was sent before the page: what it came to, or what is wrong with it. */
export type SentForm = {
  readonly done?: Done | undefined;
  readonly faults: readonly ContactFault[];
  /** What the form of the wishes had; without it the page shows what is wished now. */
  readonly fields?: ContactFields | undefined;
  readonly address?: AddressFault | undefined;
};

/** How the citizen is reached, and the forms to change that; after one that cannot be kept that one, with what is wrong. */
export function contactPage(
  frame: Frame,
  { verified, awaiting, confirmable, ...wishes }: Preferences,
  { done, faults, address, fields = fieldsOf(wishes) }: SentForm,
): Promise<WholeAnswer> {
  const { words } = frame;
  const { contact } = words;
  const told = [
    ...faults.map((fault) => ({ text: contact.faults[fault], field: fieldOf[fault] })),
    ...(address === undefined ? [] : [addressFaultOf(words, address)]),
  ];
  const content = html`${done === undefined ? '' : html`<p class="note" role="status">${doneText(contact, done)}</p>`}
    ${told.length === 0 ? '' : summaryOf(contact, told)}
    <p>${contact.intro}</p>
    ${addressesOf(words, { verified, awaiting, confirmable }, address)}
    <h2>${contact.wishes}</h2>
    <form method="post" action="${citizenPaths.contact}">
      <input type="hidden" name="what" value="wishes" />
      ${waysOf(contact, fields, faults)}
      ${hoursOf(contact, fields, faults)}
      ${languageOf(words, fields)}
      <p><button type="submit">${contact.save}</button></p>
    </form>`;
  const status = told.length === 0 ? 200 : 400;
  return framed(frame, { title: contact.title, content, current: 'contact', status });
}

type Words = CitizenWords['contact'];

function doneText({ kept, addresses }: Words, done: Done): string {
  return done === 'wishes' ? kept : addresses.done[done];
}

/** The field in which each fault is put right. */
const fieldOf = { places: 'email', hours: 'from', timeZone: 'timeZone', form: 'email' } as const;

type Told = { readonly text: string; readonly field: string };

/** Stands first, and has the focus: who hears the page hears it at once. */
function summaryOf({ faults }: Words, told: readonly Told[]): Content {
  return html`<div class="faults" role="alert" tabindex="-1" autofocus><h2>${faults.title}</h2>
      <ul>${told.map(({ text, field }) => html`<li><a href="#${field}">${text}</a></li>`)}</ul></div>`;
}

/** What is wrong, beside the fields that it is about. */
function faultBeside({ faults: words }: Words, faults: readonly ContactFault[], fault: ContactFault): Content | '' {
  return faults.includes(fault) ? html`<p class="fault" id="fault-${fault}">${words[fault]}</p>` : '';
}

function waysOf(words: Words, { ways }: ContactFields, faults: readonly ContactFault[]): Content {
  const { legend, hint, noWish, places: named, never: declined } = words.ways;
  const [first, second, third] = places;
  const ordered: Option[] = [
    ['', noWish],
    [first, named.first],
    [second, named.second],
    [third, named.third],
  ];
  const marks = marksOf(faults, 'places');
  return html`<fieldset><legend>${legend}</legend><p>${hint}</p>${faultBeside(words, faults, 'places')}
      ${leavingChannelNames.map((channel) => {
        const options: Option[] = channel === 'letter' ? ordered : [...ordered, [never, declined]];
        return select({ name: channel, label: words.channels[channel], marks, options, chosen: ways[channel] });
      })}</fieldset>`;
}

function hoursOf(words: Words, fields: ContactFields, faults: readonly ContactFault[]): Content {
  const { legend, hint, keep, from, until, timeZone, choose } = words.hours;
  const unset: Option = ['', choose];
  const hours = [unset, ...Array.from({ length: 25 }, (_, hour): Option => [String(hour), `${hour}:00`])];
  const zones = [unset, ...knownZones().map((zone): Option => [zone, zone])];
  const marks = marksOf(faults, 'hours');
  return html`<fieldset><legend>${legend}</legend><p>${hint}</p>${faultBeside(words, faults, 'hours')}
      ${timedChannelNames.map((channel) => {
        const ticked = fields.hoursFor.includes(channel) ? raw(' checked') : '';
        return html`<p class="choice"><input type="checkbox" id="hours-${channel}" name="hoursFor" value="${channel}"${ticked} />
          <label for="hours-${channel}">${keep[channel]}</label></p>`;
      })}
      ${select({ name: 'from', label: from, marks, options: hours, chosen: fields.from })}
      ${select({ name: 'until', label: until, marks, options: hours, chosen: fields.until })}
      ${faultBeside(words, faults, 'timeZone')}
      ${select({
        ...{ name: 'timeZone', label: timeZone, options: zones, chosen: fields.timeZone },
        marks: marksOf(faults, 'timeZone'),
      })}</fieldset>`;
}

function languageOf({ contact, language }: CitizenWords, fields: ContactFields): Content {
  const { label, hint, noWish } = contact.language;
  const options: Option[] = [['', noWish], ...knownLanguages(language)];
  const marks = html` aria-describedby="language-hint"`;
  return html`${select({ name: 'language', label, marks, options, chosen: fields.language })}
    <p id="language-hint">${hint}</p>`;
}

/** The attributes of a field that something is wrong with. */
function marksOf(faults: readonly ContactFault[], fault: ContactFault): Content | '' {
  return faults.includes(fault) ? html` aria-invalid="true" aria-describedby="fault-${fault}"` : '';
}

/** A value and what it is called. */
type Option = readonly [value: string, text: string];

type Select = {
  readonly name: string;
  readonly label: string;
  readonly marks: Content | '';
  readonly options: readonly Option[];
  readonly chosen: string;
};

/** What is chosen and in no list, as a program can state it, is one more option: the form would lose it. */
function select({ name, label, marks, options, chosen }: Select): Content {
  const isListed = options.some(([value]) => value === chosen);
  const all: readonly Option[] = isListed ? options : [...options, [chosen, chosen]];
  return html`<p><label for="${name}">${label}</label>
      <select id="${name}" name="${name}"${marks}>${all.map(
        ([value, text]) => html`<option value="${value}"${value === chosen ? raw(' selected') : ''}>${text}</option>`,
      )}</select></p>`;
}

function knownZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];

/** The languages that have a tag of two letters, as a language names them, in its order. */
const knownLanguages = remembering(8, (language) => {
  const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
  const tags = alphabet.flatMap((first) => alphabet.map((second) => first + second));
  const known = tags.flatMap((tag): Option[] => {
    const name = Intl.getCanonicalLocales(tag)[0] === tag ? names.of(tag) : undefined;
    return name === undefined ? [] : [[tag, name]];
  });
  return known.sort(([, one], [, other]) => one.localeCompare(other, language));
});
