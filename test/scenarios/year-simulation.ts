import assert from 'node:assert/strict';
import { storedResultKeptMs } from '../../src/api/idempotency.ts';
import { formatInstant } from '../../src/kernel/clock.ts';
import { noPreferences } from '../../src/notifications/contact/contact-preferences.ts';
import { type openSimulatedServer, writeFileIn } from '../support/simulated-server.ts';
import type { TestSmtpServer } from '../support/smtp-server.ts';

const [hour, day] = [3_600_000, 86_400_000];
export const simulationScopes =
  'identity:verify,notifications:send,notifications:read,documents:read,documents:write,webhooks:manage,events:read';
const zones = ['Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati'];
export const simulatedPeople = Array.from({ length: 24 }, (_, at) => ({
  citizenId: `c-${at}`,
  givenName: 'Ada',
  familyName: `Berg${'abcdefghijklmnopqrstuvwx'[at]}`,
  birthDate: '1980-02-29',
  ...(at % 6 === 5 ? {} : { email: `c-${at}@example.org` }),
  ...(at % 4 === 0 ? {} : { phone: `+474000${1_000 + at}` }),
  ...(at % 5 === 4 ? {} : { streetAddress: `Road ${at}`, postalCode: '0150', locality: 'Oslo' }),
}));

export type SimulatedServer = Awaited<ReturnType<typeof openSimulatedServer>>;
type SentNotificationRecord = {
  readonly id: string;
  readonly body: string;
  readonly key: string;
  readonly citizenId: string;
  readonly at: number;
};

/** The data that clients and operators have received. */
export const createSimulationRecord = () => ({
  sent: [] as SentNotificationRecord[],
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
type SimulationRecord = ReturnType<typeof createSimulationRecord>;

/** One installation with its providers and records. */
export type Simulation = {
  readonly server: SimulatedServer;
  readonly client: string;
  readonly record: SimulationRecord;
  readonly random: () => number;
  readonly smtpServer: TestSmtpServer;
  readonly smsIds: readonly string[];
};

/** Functions that all actions use. */
function simulationTools({ server, client, record, random }: Simulation) {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const ask = (path: string, more: object = {}) =>
    server.ask(path, { client, scopes: simulationScopes.split(','), ...more });
  return {
    pick,
    ask,
    recent: <T>(list: readonly T[]): T | undefined => pick(list.slice(-8)),
    later: (longest: number) => formatInstant(server.clock.now() + hour + Math.floor(random() * longest)),
    post: (path: string, body: string, more: object = {}) =>
      ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...more } }),
    isGone: (citizenId: string) => record.erased.has(citizenId),
    person: () => pick(simulatedPeople.filter(({ citizenId }) => !record.erased.has(citizenId))) ?? assert.fail(),
  };
}

type SimulatedAction = readonly [weight: number, act: () => Promise<void>];

/** Actions of clients that send notifications. */
function senderActions(simulation: Simulation): readonly SimulatedAction[] {
  const { server, record, random } = simulation;
  const { pick, recent, later, post, person } = simulationTools(simulation);
  const send = async () => {
    const { citizenId } = person();
    const [sendAt, soon] = [random() < 0.3 ? later(120 * day) : undefined, random() < 0.4];
    const deliverBy = soon
      ? formatInstant(Date.parse(sendAt ?? later(hour)) + Math.floor(random() * 40 * day))
      : undefined;
    const category = pick(['information', 'decision', 'reminder', 'urgent']);
    const channels = pick([undefined, undefined, ['email'], ['sms', 'letter'], ['letter'], ['inbox']]);
    const [body, key] = [
      JSON.stringify({ citizenId, message: 'Text.', category, channels, sendAt, deliverBy }),
      `key-${record.sent.length}`,
    ];
    const { status, text } = await post('/v1/notifications/send', body, { 'idempotency-key': key });
    assert.equal(status, 202, text);
    const { id, receipt } = JSON.parse(text);
    record.sent.push({ id, body, key, citizenId, at: server.clock.now() });
    record.receipts.push({ path: receipt, citizenId });
  };
  const repeat = async () => {
    // Older keys may have expired.
    const repeatable = record.sent.filter(({ at }) => server.clock.now() - at < storedResultKeptMs - day);
    const { id, body, key } = pick(repeatable) ?? { id: '', body: '{}', key: '' };
    if (id === '') return;
    const again = await post('/v1/notifications/send', body, { 'idempotency-key': key });
    assert.deepEqual([again.status, JSON.parse(again.text).id], [202, id]);
  };
  const cancel = async () => {
    const sent = recent(record.sent);
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

/** Actions of citizens and providers. */
function citizenActions(simulation: Simulation): readonly SimulatedAction[] {
  const { server, smtpServer, smsIds } = simulation;
  const { pick, recent, person } = simulationTools(simulation);
  const open = async () => {
    const link = /\/received\/[\w.-]+/.exec(recent(smtpServer.mails)?.raw.replaceAll('=\r\n', '') ?? '')?.[0];
    if (link !== undefined) assert.equal((await server.ask(link, { method: 'POST' })).status, 303);
  };
  const reportSmsDelivery = async () => {
    const id = recent(smsIds);
    if (id === undefined) return;
    const body = JSON.stringify({ id, status: pick(['delivered', 'failed']) });
    const request = {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', authorization: 'Bearer receipts-of-texts' },
    };
    assert.equal((await server.ask('/callbacks/sms', request)).status, 200);
  };
  const importPreferences = async () => {
    const hours = { channels: ['email', 'sms'], from: 22, until: 6, timeZone: pick(zones) };
    const stated = pick([{ channels: ['sms', 'email'] }, { declined: ['sms'] }, { hours }, {}]);
    const wishes = { ...noPreferences, ...stated };
    const line = JSON.stringify({ citizenId: person().citizenId, wishes });
    await server.command('contacts', 'import', writeFileIn(server.dataDir, 'contacts.jsonl', line));
  };
  return [
    [4, open],
    [2, reportSmsDelivery],
    [1, importPreferences],
  ];
}

/** Actions of clients that verify identities. */
function verifierActions(simulation: Simulation): readonly SimulatedAction[] {
  const { server, record, random } = simulation;
  const { pick, ask, post, person } = simulationTools(simulation);
  const verify = async (isRight: boolean) => {
    const { citizenId, givenName, familyName, birthDate } = person();
    const name = isRight ? familyName : `Xyz${'abcdefgh'[Math.floor(random() * 8)]}`;
    const claims = JSON.stringify({ citizenId, givenName, familyName: name, birthDate, purpose: 'Permit' });
    const { status, text } = await post('/v1/identity/verify', claims);
    assert.equal(status, 200, text);
    record.verifications.push({ id: JSON.parse(text).verificationId, at: server.clock.now() });
  };
  const readOldVerification = async () => {
    const found = pick(record.verifications);
    if (found === undefined) return;
    const age = (server.clock.now() - found.at) / day;
    const { status } = await ask(`/v1/identity/verifications/${found.id}`);
    // Expired results are deleted within an hour. The results of erased citizens cannot be read.
    if (age < 90 && record.erased.size === 0) assert.equal(status, 200, `after ${age} days`);
    if (age > 93) assert.equal(status, 404, `after ${age} days`);
  };
  return [
    [3, () => verify(true)],
    [3, () => verify(false)],
    [2, readOldVerification],
  ];
}

/** Actions of clients that use documents and store proofs. */
function documentActions(simulation: Simulation): readonly SimulatedAction[] {
  const { server, record } = simulation;
  const { pick, ask, post, isGone, person } = simulationTools(simulation);
  const deposit = async () => {
    const [{ citizenId }, text] = [person(), `Document ${record.documents.length}`];
    const terms = { 'citizen-id': citizenId, 'document-title': 'Permit', 'document-retention-class': 'short' };
    const answer = await post('/v1/documents', text, { ...terms, 'content-type': 'text/plain' });
    assert.equal(answer.status, 201, answer.text);
    record.documents.push({ id: JSON.parse(answer.text).id, citizenId, at: server.clock.now(), text });
  };
  const retrieve = async () => {
    const found = pick(record.documents);
    if (found === undefined) return;
    const age = (server.clock.now() - found.at) / day;
    const { status, text } = await ask(`/v1/documents/${found.id}`);
    if (isGone(found.citizenId) || age > 63) assert.equal(status, 410, `after ${age} days`);
    else if (age < 60) assert.deepEqual([status, text], [200, found.text], `after ${age} days`);
  };
  const prove = async () => {
    const [receipt, sent] = [pick(record.receipts), pick(record.sent)];
    if (receipt === undefined || sent === undefined) return;
    const proof = await ask(`${receipt.path}/proof`);
    if (proof.status === 200) record.proofs.push(proof.text);
    else assert.ok(isGone(receipt.citizenId), `a receipt is ${proof.status}: ${proof.text}`);
    const evidence = await ask(`/v1/notifications/${sent.id}/evidence`);
    if (evidence.status === 200) record.bundles.push(evidence.text);
    else assert.ok(isGone(sent.citizenId), `evidence is ${evidence.status}: ${evidence.text}`);
    record.checkpoints.push((await server.ask('/ledger/checkpoint')).text);
  };
  return [
    [2, deposit],
    [3, retrieve],
    [3, prove],
  ];
}

/** Actions of the operator. */
function operatorActions(simulation: Simulation): readonly SimulatedAction[] {
  const { server, record } = simulation;
  const { pick, person } = simulationTools(simulation);
  const erase = async () => {
    const { citizenId } = person();
    if (record.erased.size > 4) return;
    await server.command('citizens', 'erase', citizenId, '--yes');
    record.erased.add(citizenId);
  };
  const rotate = async () => {
    await server.command('keys', 'rotate', pick(['access-token', 'result', 'evidence']) ?? '').catch(() => undefined);
    for (const key of (await server.command('ledger', 'key')).trim().split('\n')) record.logKeys.add(key);
    await server.command('keys', 'rotate', 'ledger', '--overlap-days', '20').catch(() => undefined);
    for (const key of (await server.command('ledger', 'key')).trim().split('\n')) record.logKeys.add(key);
    await server.command('keys', 'rotate', 'root');
    await server.command('keys', 'rotate', 'root', '--finish');
  };
  const restart = async () => {
    await server.stop();
    await server.start();
  };
  return [
    [0.4, erase],
    [0.6, rotate],
    [0.8, restart],
  ];
}

/** All actions with their weights. */
export function allActions(simulation: Simulation): readonly SimulatedAction[] {
  return [senderActions, citizenActions, verifierActions, documentActions, operatorActions].flatMap((some) =>
    some(simulation),
  );
}
