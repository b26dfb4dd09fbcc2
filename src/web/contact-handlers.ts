import type { BufferedResponse } from '../api/buffered-response.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { requestQuery } from '../kernel/request-target.ts';
import { askContactCode } from '../notifications/ask-contact-code.ts';
import { confirmContactAddress } from '../notifications/confirm-contact-address.ts';
import type { CodeChannel } from '../notifications/contact/contact-code.ts';
import { declinableChannelNames } from '../notifications/notification/notification.ts';
import { readPreferences } from '../notifications/read-preferences.ts';
import { removeContactAddress } from '../notifications/remove-contact-address.ts';
import { statePreferences } from '../notifications/state-preferences.ts';
import { type CitizenRequest, readJson } from './citizen-operations.ts';
import { describeAddressFault } from './contact-address-fault.ts';
import {
  channelFieldsOf,
  channelsFromFields,
  declinedValue,
  type FormChange,
  hourFieldsOf,
  hoursFromFields,
  parseChannelFields,
  parseHourFields,
} from './contact-form.ts';
import {
  addressPage,
  type CompletedForm,
  channelsPage,
  codePage,
  completedForms,
  contactFaults,
  contactOverviewPage,
  contactPaths,
  type FormState,
  hoursPage,
  languagePage,
  type Preferences,
  printSizePage,
  removeAddressPage,
  stopChannelsPage,
} from './contact-pages.ts';
import { parseForm } from './form-body.ts';
import { citizenPaths } from './sign-in-flow.ts';
import type { ZoneDefaults } from './time-zone-options.ts';

type Outcome = Promise<BufferedResponse | Refusal>;

type ContactPage = {
  readonly path: string;
  readonly methods: readonly string[];
  readonly show: (visit: CitizenRequest) => Outcome;
};

/**
 * The pages for contact preferences and addresses, each with at most one form. After success a form redirects, so that a reload does not
 * repeat the action.
 */
export function contactPages(zones: ZoneDefaults): readonly ContactPage[] {
  const methods = ['GET', 'HEAD', 'POST'];
  return [
    { path: citizenPaths.contact, methods: ['GET', 'HEAD'], show: showOverview },
    { path: contactPaths.channels, methods, show: handleChannels },
    { path: contactPaths.hours, methods, show: (visit) => handleHours(visit, zones) },
    { path: contactPaths.language, methods, show: handleLanguage },
    { path: contactPaths.printSize, methods, show: handlePrintSize },
    ...declinableChannelNames.flatMap((channel): ContactPage[] => [
      { path: contactPaths.address[channel], methods, show: (visit) => handleAddress(visit, channel) },
      { path: contactPaths.code[channel], methods, show: (visit) => handleCode(visit, channel) },
      { path: contactPaths.remove[channel], methods, show: (visit) => handleRemoval(visit, channel) },
      { path: contactPaths.stop[channel], methods: ['GET', 'HEAD'], show: (visit) => askToStop(visit, channel) },
    ]),
  ];
}

const isForm = ({ request }: CitizenRequest) => request.method === 'POST';

const redirectTo = (location: string): BufferedResponse => ({ status: 303, headers: { location }, body: '' });
const redirectAfter = (done: CompletedForm) => redirectTo(`${citizenPaths.contact}?done=${done}`);

/** Reads the current preferences and shows a page of them. */
async function showWithPreferences(
  visit: CitizenRequest,
  show: (preferences: Preferences) => BufferedResponse,
): Outcome {
  const answer = await readJson<Preferences>(visit, readPreferences);
  return 'json' in answer ? show(answer.json) : answer;
}

async function showOverview(visit: CitizenRequest): Outcome {
  const named = new URLSearchParams(requestQuery(visit.request.url)).get('done');
  const done = completedForms.find((one) => one === named);
  return await showWithPreferences(visit, (preferences) => contactOverviewPage(visit.view, preferences, done));
}

/** A form for a part of the preferences. */
type PreferenceForm<Fields> = {
  /** The fields of a sent form; undefined if one is missing. */
  readonly parse: (form: URLSearchParams | undefined) => Fields | undefined;
  readonly current: (preferences: Preferences) => Fields;
  readonly changeOf: (fields: Fields) => FormChange;
  readonly page: (state: FormState<Fields>) => BufferedResponse;
  /** The field to which faults of the whole form belong. */
  readonly field: string;
  /** A page to show before the change is saved. */
  readonly confirmation?: (
    fields: Fields,
    preferences: Preferences,
    form: URLSearchParams,
  ) => BufferedResponse | undefined;
};

/** Shows the form, or saves what it states together with the other preferences, which stay as they are. */
async function handlePreferences<Fields>(visit: CitizenRequest, form: PreferenceForm<Fields>): Outcome {
  const answer = await readJson<Preferences>(visit, readPreferences);
  if ('slug' in answer) return answer;
  const { json: preferences } = answer;
  if (!isForm(visit)) {
    const kept = form.parse(visit.keptForm);
    return form.page({ fields: kept ?? form.current(preferences), faults: [], isKept: kept !== undefined });
  }
  const sent = await parseForm(visit.request);
  const fields = form.parse(sent);
  const stated: FormChange = fields === undefined ? { faults: ['form'] } : form.changeOf(fields);
  const refused = (faults: Parameters<typeof contactFaults>[1]) =>
    form.page({
      fields: fields ?? form.current(preferences),
      faults: contactFaults(visit.view.words, faults, form.field),
    });
  if (fields === undefined || sent === undefined || 'faults' in stated)
    return refused('faults' in stated ? stated.faults : ['form']);
  const question = form.confirmation?.(fields, preferences, sent);
  if (question !== undefined) return question;
  const { channels, declined, hours, language } = preferences;
  const json = { channels, declined, hours, language, ...stated.change };
  const saved = await visit.call(statePreferences, visit.token, { json });
  if (!('slug' in saved)) return redirectAfter('saved');
  return saved.slug === 'bad-request' ? refused(['form']) : saved;
}

async function handleChannels(visit: CitizenRequest): Outcome {
  return await handlePreferences(visit, {
    parse: parseChannelFields,
    current: channelFieldsOf,
    changeOf: channelsFromFields,
    page: (state) => channelsPage(visit.view, state),
    field: 'email',
    confirmation: (fields, { declined }, form) => {
      const stopped = declinableChannelNames.filter((one) => fields[one] === 'never' && !declined.includes(one));
      return stopped.length === 0 || form.get('sure') === 'yes'
        ? undefined
        : stopChannelsPage(visit.view, fields, stopped);
    },
  });
}

async function handleHours(visit: CitizenRequest, zones: ZoneDefaults): Outcome {
  return await handlePreferences(visit, {
    parse: parseHourFields,
    current: (preferences) => hourFieldsOf(preferences, zones.timeZone),
    changeOf: hoursFromFields,
    page: (state) => hoursPage(visit.view, zones, state),
    field: 'from',
  });
}

async function handleLanguage(visit: CitizenRequest): Outcome {
  return await handlePreferences(visit, {
    parse: (form) => form?.get('language') ?? undefined,
    current: ({ language }) => language ?? '',
    changeOf: (language): FormChange => ({ change: { language: language === '' ? null : language } }),
    page: (state) => languagePage(visit.view, state),
    field: 'language',
  });
}

/** Asks before a channel is turned off. The form is that of the order, with the other channels unchanged. */
async function askToStop(visit: CitizenRequest, channel: CodeChannel): Outcome {
  return await showWithPreferences(visit, (preferences) => {
    if (preferences.declined.some((one) => one === channel)) return redirectTo(citizenPaths.contact);
    return stopChannelsPage(visit.view, { ...channelFieldsOf(preferences), [channel]: declinedValue }, [channel]);
  });
}

async function handlePrintSize(visit: CitizenRequest): Outcome {
  return await handlePreferences(visit, {
    parse: (form) => form?.get('printSize') ?? undefined,
    current: ({ largePrint }) => (largePrint === true ? 'large' : 'normal'),
    changeOf: (size): FormChange =>
      size === 'large' || size === 'normal' ? { change: { largePrint: size === 'large' } } : { faults: ['form'] },
    page: (state) => printSizePage(visit.view, state),
    field: 'printSize',
  });
}

/** The form for a new address: sends a code to it. */
async function handleAddress(visit: CitizenRequest, channel: CodeChannel): Outcome {
  const { view, keptForm } = visit;
  if (!isForm(visit)) {
    const kept = keptForm?.get('address') ?? undefined;
    return addressPage(view, channel, { fields: kept ?? '', faults: [], isKept: kept !== undefined });
  }
  const typed = (await parseForm(visit.request))?.get('address') ?? '';
  const { faults } = view.words.contact.addresses;
  const refused = (text: string) => addressPage(view, channel, { fields: typed, faults: [{ field: 'address', text }] });
  const answer = await visit.call(askContactCode, visit.token, { json: { channel, address: typed.trim() } });
  if (!('slug' in answer)) return redirectAfter('code-sent');
  if (answer.slug === 'bad-request') return refused(describeAddressFault(faults, channel, typed));
  return answer.slug === 'too-many-contact-codes' ? refused(faults.tooMany) : answer;
}

/** The form for the code. Without a code that awaits its entry, the form for the address is shown. */
async function handleCode(visit: CitizenRequest, channel: CodeChannel): Outcome {
  const { view, keptForm } = visit;
  const { faults } = view.words.contact.addresses;
  const typed = (isForm(visit) ? await parseForm(visit.request) : keptForm)?.get('code') ?? undefined;
  const showForm = (fault?: string) =>
    showWithPreferences(visit, ({ awaiting }) => {
      const sentTo = awaiting.find((one) => one.channel === channel)?.address;
      if (sentTo === undefined) {
        const needed = isForm(visit) ? [{ field: 'address', text: faults.code.needed }] : [];
        return addressPage(view, channel, { fields: '', faults: needed });
      }
      const found = fault === undefined ? [] : [{ field: 'code', text: fault }];
      const isKept = !isForm(visit) && typed !== undefined;
      return codePage(view, { channel, sentTo }, { fields: typed ?? '', faults: found, isKept });
    });
  if (!isForm(visit)) return await showForm();
  // Some people type or copy the code with separators.
  const code = (typed ?? '').replaceAll(/[\s-]/g, '');
  if (code === '') return await showForm(faults.code.empty);
  const answer = await visit.call(confirmContactAddress, visit.token, { json: { channel, code } });
  if (!('slug' in answer)) return redirectAfter(`confirmed-${channel}`);
  if (answer.slug === 'bad-request' || answer.slug === 'contact-code-wrong') return await showForm(faults.code.wrong);
  if (answer.slug !== 'contact-code-needed') return answer;
  return addressPage(view, channel, { fields: '', faults: [{ field: 'address', text: faults.code.needed }] });
}

/** Asks, and removes the address. If it is missing, an earlier press of the button removed it. */
async function handleRemoval(visit: CitizenRequest, channel: CodeChannel): Outcome {
  if (!isForm(visit))
    return await showWithPreferences(visit, ({ verified }) => {
      const used = verified.find((one) => one.channel === channel);
      return used === undefined
        ? redirectTo(citizenPaths.contact)
        : removeAddressPage(visit.view, channel, used.address);
    });
  const answer = await visit.call(removeContactAddress, visit.token, { query: { channel } });
  if (!('slug' in answer)) return redirectAfter(`removed-${channel}`);
  return answer.slug === 'contact-address-not-found' ? redirectTo(citizenPaths.contact) : answer;
}
