import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSmsMapping, parseSmsMapping } from './sms-mapping.ts';

const request = { to: '{to}', text: '{text}', id: '{id}' };
const answer = { reference: '/id', status: '/status', accepted: ['queued'], refused: ['invalid'] };
const receipt = { id: '/id', status: '/status', delivered: ['delivered'], failed: ['failed'] };
const parse = (value: unknown) => parseSmsMapping(JSON.stringify(value));

test('a valid mapping file is parsed unchanged', () => {
  const headers = { authorization: 'Bearer x' };
  for (const mapping of [
    defaultSmsMapping,
    { request },
    { request: { messages: [{ to: ['{to}'], body: '{text}', flash: false, parts: null }] }, encoding: 'json' },
    { request, encoding: 'form', headers, answer, receipt },
    { request, receipt: { ...receipt, unreachable: ['expired'], refused: ['spam', 'blocked'], full: ['full'] } },
    { request, receipt: { ...receipt, json: '/Message', status: ['/state', '/reason'] } },
    { request, answer, receipt: { ...receipt, method: 'GET', events: '/results', reference: '/sid' } },
  ])
    assert.deepEqual(parse(mapping), mapping);
});

test('an invalid mapping file is rejected with the path of the wrong member', () => {
  const faults: ReadonlyArray<readonly [unknown, RegExp]> = [
    [[], /^the file: must be object$/],
    [null, /^the file: must be object$/],
    [{}, /^the file: must have required properties request$/],
    [{ request: null }, /^\/request: must be object$/],
    [{ request: [] }, /^\/request: must be object$/],
    [{ request: { to: '{to}' } }, /^\/request: expected \{to\} and \{text\} in it/],
    [{ request: { text: '{text}', to: ['+47'] } }, /^\/request: expected \{to\} and \{text\} in it/],
    [{ request, reciept: receipt }, /^\/reciept: is not a known member$/],
    [{ request, encoding: 'xml' }, /^\/encoding: must be equal to one of the allowed values$/],
    [{ request: { ...request, more: ['a'] }, encoding: 'form' }, /^\/request: expected text, numbers or booleans/],
    [{ request, headers: 'authorization: x' }, /^\/headers: must be object$/],
    [{ request, headers: { 'x-key': 5 } }, /^\/headers\/x-key: must be string$/],
    [{ request, headers: { 'x-key': 'hunter2\r\nx-more: 1' } }, /^\/headers\/x-key: must match pattern "[^u]*$/],
    [{ request, headers: { 'x key': '1' } }, /^\/headers\/x key: is not a known member$/],
    [{ request, answer: null }, /^\/answer: must be object$/],
    [{ request, answer: { ...answer, state: '/s' } }, /^\/answer\/state: is not a known member$/],
    [{ request, answer: { ...answer, status: 5 } }, /^\/answer\/status: must be string$/],
    [{ request, answer: { reference: 'id' } }, /^\/answer\/reference: must match pattern/],
    [{ request, answer: { ...answer, accepted: 'queued' } }, /^\/answer\/accepted: must be array$/],
    [{ request, answer: { ...answer, refused: 'rejected' } }, /^\/answer\/refused: must be array$/],
    [{ request, answer: { ...answer, refused: [''] } }, /^\/answer\/refused\/0: must not have fewer than 1 char/],
    [{ request, answer: { ...answer, accepted: [] } }, /^\/answer\/accepted: expected a status/],
    [{ request, answer: { accepted: ['queued'] } }, /^\/answer: expected status/],
    [{ request, receipt: { id: '/id', status: '/s' } }, /^\/receipt: expected a status in at least one list/],
    [{ request, receipt: { ...receipt, delivered: 'delivered' } }, /^\/receipt\/delivered: must be array$/],
    [{ request, receipt: { ...receipt, unreachable: 'expired' } }, /^\/receipt\/unreachable: must be array$/],
    [{ request, receipt: { ...receipt, refused: [''] } }, /^\/receipt\/refused\/0: must not have fewer than 1 char/],
    [{ request, receipt: { ...receipt, status: undefined } }, /^\/receipt: must have required properties status$/],
    [{ request, receipt: { ...receipt, method: 'PUT' } }, /^\/receipt\/method: must be equal to one of the allowed/],
    [{ request, receipt: { ...receipt, events: 'results' } }, /^\/receipt\/events: must match pattern/],
    [{ request, receipt: { ...receipt, id: undefined } }, /^\/receipt: expected id \(of this server\) or reference/],
    [{ request, receipt: { ...receipt, reference: '/sid' } }, /^\/receipt\/reference: expected \/answer\/reference/],
    [{ request, receipt: { ...receipt, id: 7 } }, /^\/receipt\/id: must be string$/],
  ];
  for (const [mapping, message] of faults) {
    assert.throws(
      () => parse(mapping),
      (fault) => fault instanceof TypeError && message.test(fault.message),
      `${JSON.stringify(mapping)} ${message}`,
    );
  }
  assert.throws(() => parseSmsMapping('{"request": '), { name: 'TypeError', message: /^expected JSON/ });
});
