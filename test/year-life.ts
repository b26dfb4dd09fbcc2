import assert from 'node:assert/strict';
import { toInstant } from '../src/kernel/clock.ts';
import type { SmtpSink } from './smtp-sink.ts';
import { fileIn, type openYearHouse } from './year-house.ts';

const [hour, day] = [3_600_000, 86_400_000];
export const scopes =
  'identity:verify,notifications:send,notifications:read,documents:read,documents:write,webhooks:manage,events:read';
const zones = ['Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati'];
export const people = Array.from({ length: 24 }, (_, at) => ({
  ...{
    citizenId: `c-${at}`,
    givenName: 'Ada',
    familyName: `Berg${'abcdefghijklmnopqrstuvwx'[at]}`,
    birthDate: '1980-02-29',
  },
  ...(at % 6 === 5 ? {} : { email: `c-${at}@example.org` }),
  ...(at % 4 === 0 ? {} : { phone: `+474000${1_000 + at}` }),
  ...(at % 5 === 4 ? {} : { streetAddress: `Road ${at}`, postalCode: '0150', locality: 'Oslo' }),
}));

export type YearHouse = Awaited<ReturnType<typeof openYearHouse>>;
type Sent = { readonly id: string; readonly body: string; readonly key: string; readonly citizenId: string };

/** What outside of the house was told, and keeps. */
export const newMemory = () => ({
  sent: [] as Sent[],
  documents: [] as { readonly id: string; readonly citizenId: string; readonly at: number; readonly text: string }[],
  receipts: [] as { readonly path: string; readonly citizenId: string }[],
  verifications: [] as { readonly id: string; readonly at: number }[],
  proofs: [] as string[],
  bundles: [] as string[],
  checkpoints: [] as string[],
  logKeys: new Set<string>(),
  erased: new Set<string>(),
  numbers: [] as number[],
});
type Memory = ReturnType<typeof newMemory>;

/** One installation with all who have to do with it. */
export type Living = {
  readonly house: YearHouse;
  readonly client: string;
  readonly memory: Memory;
  readonly random: () => number;
  readonly sink: SmtpSink;
  readonly sms: readonly string[];
};

/** What all of them do it with. */
function worldOf({ house, client, memory, random }: Living) {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const ask = (path: string, more: object = {}) => house.ask(path, { client, scopes: scopes.split(','), ...more });
  return {
    pick,
    ask,
    recent: <T>(list: readonly T[]): T | undefined => pick(list.slice(-8)),
    later: (longest: number) => toInstant(house.clock.now() + hour + Math.floor(random() * longest)),
    post: (path: string, body: string, more: object = {}) =>
      ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...more } }),
    isGone: (citizenId: string) => memory.erased.has(citizenId),
    person: () => pick(people.filter(({ citizenId }) => !memory.erased.has(citizenId))) ?? assert.fail(),
  };
}

type Act = readonly [often: number, act: () => Promise<void>];

/** What programs that send do. */
function sendersDo(living: Living): readonly Act[] {
  const { memory, random } = living;
  const { pick, recent, later, post, person } = worldOf(living);
  const send = async () => {
    const { citizenId } = person();
    const [sendAt, soon] = [random() < 0.3 ? later(120 * day) : undefined, random() < 0.4];
    const deliverBy = soon ? toInstant(Date.parse(sendAt ?? later(hour)) + Math.floor(random() * 40 * day)) : undefined;
    const category = pick(['information', 'decision', 'reminder', 'urgent']);
    const channels = pick([undefined, undefined, ['email'], ['sms', 'letter'], ['letter'], ['inbox']]);
    const [body, key] = [
      JSON.stringify({ citizenId, message: 'Text.', category, channels, sendAt, deliverBy }),
      `key-${memory.sent.length}`,
    ];
    const { status, text } = await post('/v1/notifications/send', body, { 'idempotency-key': key });
    assert.equal(status, 202, text);
    const { id, receipt } = JSON.parse(text);
    memory.sent.push({ id, body, key, citizenId });
    memory.receipts.push({ path: receipt, citizenId });
  };
  const repeat = async () => {
    const { id, body, key } = pick(memory.sent) ?? { id: '', body: '{}', key: '' };
    if (id === '') return;
    const again = await post('/v1/notifications/send', body, { 'idempotency-key': key });
    assert.deepEqual([again.status, JSON.parse(again.text).id], [202, id]);
  };
  const cancel = async () => {
    const sent = recent(memory.sent);
    if (sent === undefined) return;
    const { status } = await post(`/v1/notifications/${sent.id}/cancel`, '');
    assert.ok([200, 409].includes(status), `cancelled with ${status}`);
  };
  return [
    [10, send],
    [2, repeat],
    [1, cancel],
  ];
}

/** What citizens and providers do. */
function citizensDo(living: Living): readonly Act[] {
  const { house, sink, sms } = living;
  const { pick, recent, person } = worldOf(living);
  const open = async () => {
    const link = /\/received\/[\w.-]+/.exec(recent(sink.mails)?.raw.replaceAll('=\r\n', '') ?? '')?.[0];
    if (link !== undefined) assert.equal((await house.ask(link, { method: 'POST' })).status, 303);
  };
  const hear = async () => {
    const id = recent(sms);
    if (id === undefined) return;
    const body = JSON.stringify({ id, status: pick(['delivered', 'failed']) });
    const told = {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', authorization: 'Bearer receipts-of-texts' },
    };
    assert.equal((await house.ask('/callbacks/sms', told)).status, 200);
  };
  const wish = async () => {
    const hours = { channels: ['email', 'sms'], from: 22, until: 6, timeZone: pick(zones) };
    const wishes = pick([{ channels: ['sms', 'email'] }, { declined: ['sms'] }, { hours }, {}]);
    const line = JSON.stringify({ citizenId: person().citizenId, wishes });
    await house.command('contacts', 'import', fileIn(house.dataDir, 'contacts.jsonl', line));
  };
  return [
    [4, open],
    [2, hear],
    [1, wish],
  ];
}

/** What programs that ask for identities do. */
function verifiersDo(living: Living): readonly Act[] {
  const { house, memory, random } = living;
  const { pick, ask, post, person } = worldOf(living);
  const verify = async (isRight: boolean) => {
    const { citizenId, givenName, familyName, birthDate } = person();
    const name = isRight ? familyName : `Xyz${'abcdefgh'[Math.floor(random() * 8)]}`;
    const claims = JSON.stringify({ citizenId, givenName, familyName: name, birthDate, purpose: 'Permit' });
    const { status, text } = await post('/v1/identity/verify', claims);
    assert.equal(status, 200, text);
    memory.verifications.push({ id: JSON.parse(text).verificationId, at: house.clock.now() });
  };
  const lookBack = async () => {
    const found = pick(memory.verifications);
    if (found === undefined) return;
    const age = (house.clock.now() - found.at) / day;
    const { status } = await ask(`/v1/identity/verifications/${found.id}`);
    // What is kept long enough goes with the next hour, and what was found about the erased opens no more.
    if (age < 90 && memory.erased.size === 0) assert.equal(status, 200, `after ${age} days`);
    if (age > 93) assert.equal(status, 404, `after ${age} days`);
  };
  return [
    [3, () => verify(true)],
    [3, () => verify(false)],
    [2, lookBack],
  ];
}

/** What programs with documents, and those that keep proofs, do. */
function keepersDo(living: Living): readonly Act[] {
  const { house, memory } = living;
  const { pick, ask, post, isGone, person } = worldOf(living);
  const deposit = async () => {
    const [{ citizenId }, text] = [person(), `Document ${memory.documents.length}`];
    const terms = { 'citizen-id': citizenId, 'document-title': 'Permit', 'document-retention-class': 'short' };
    const answer = await post('/v1/documents', text, { ...terms, 'content-type': 'text/plain' });
    assert.equal(answer.status, 201, answer.text);
    memory.documents.push({ id: JSON.parse(answer.text).id, citizenId, at: house.clock.now(), text });
  };
  const retrieve = async () => {
    const found = pick(memory.documents);
    if (found === undefined) return;
    const age = (house.clock.now() - found.at) / day;
    const { status, text } = await ask(`/v1/documents/${found.id}`);
    if (isGone(found.citizenId) || age > 63) assert.equal(status, 410, `after ${age} days`);
    else if (age < 60) assert.deepEqual([status, text], [200, found.text], `after ${age} days`);
  };
  const prove = async () => {
    const [receipt, sent] = [pick(memory.receipts), pick(memory.sent)];
    if (receipt === undefined || sent === undefined) return;
    const proof = await ask(receipt.path, { headers: { accept: 'text/plain' } });
    if (proof.status === 200) memory.proofs.push(proof.text);
    else assert.ok(isGone(receipt.citizenId), `a receipt is ${proof.status}: ${proof.text}`);
    const evidence = await ask(`/v1/notifications/${sent.id}/evidence`);
    if (evidence.status === 200) memory.bundles.push(evidence.text);
    else assert.ok(isGone(sent.citizenId), `evidence is ${evidence.status}: ${evidence.text}`);
    memory.checkpoints.push((await house.ask('/ledger/checkpoint')).text);
  };
  return [
    [2, deposit],
    [3, retrieve],
    [3, prove],
  ];
}

/** What the operator does. */
function operatorsDo(living: Living): readonly Act[] {
  const { house, memory } = living;
  const { pick, person } = worldOf(living);
  const erase = async () => {
    const { citizenId } = person();
    if (memory.erased.size > 4) return;
    await house.command('citizens', 'erase', citizenId, '--yes');
    memory.erased.add(citizenId);
  };
  const rotate = async () => {
    await house.command('keys', 'rotate', pick(['access-token', 'result', 'evidence']) ?? '').catch(() => undefined);
    for (const key of (await house.command('ledger', 'key')).trim().split('\n')) memory.logKeys.add(key);
    await house.command('ledger', 'rotate-key', '--overlap-days', '20').catch(() => undefined);
    for (const key of (await house.command('ledger', 'key')).trim().split('\n')) memory.logKeys.add(key);
    await house.command('keys', 'rotate-root');
    await house.command('keys', 'rotate-root', '--finish');
  };
  const restart = async () => {
    await house.stop();
    await house.start();
  };
  return [
    [0.4, erase],
    [0.6, rotate],
    [0.8, restart],
  ];
}

/** What people and programs do, each so often as its number says. */
export function lifeOf(living: Living): readonly Act[] {
  return [sendersDo, citizensDo, verifiersDo, keepersDo, operatorsDo].flatMap((some) => some(living));
}
