import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSmsMapping } from './sms-mapping.ts';
import { parseSmsMapping } from './sms-mapping-file.ts';

const request = { to: '{to}', text: '{text}', id: '{id}' };
const answer = { reference: '/id', status: '/status', accepted: ['queued'], refused: ['invalid'] };
const receipt = { id: '/id', status: '/status', delivered: ['delivered'], failed: ['failed'] };
const parse = (value: unknown) => parseSmsMapping(JSON.stringify(value));

test('a mapping is read as it stands', () => {
  const headers = { authorization: 'Bearer x' };
  for (const mapping of [
    defaultSmsMapping,
    { request },
    { request: { messages: [{ to: ['{to}'], body: '{text}', flash: false, parts: null }] }, encoding: 'json' },
    { request, encoding: 'form', headers, answer, receipt },
    { request, receipt: { ...receipt, unreachable: ['expired'], refused: ['spam', 'blocked'] } },
    { request, answer, receipt: { ...receipt, method: 'GET', events: '/results', reference: '/sid' } },
  ])
    assert.deepEqual(parse(mapping), mapping);
});

test('a mapping that cannot work stops the start, and says where', () => {
  const faults: ReadonlyArray<readonly [unknown, RegExp]> = [
    [[], /^expected a JSON object$/],
    [null, /^expected a JSON object$/],
    [{}, /^request: expected a JSON object, as/],
    [{ request: null }, /^request: expected a JSON object, as/],
    [{ request: [] }, /^request: expected a JSON object, as/],
    [{ request: { to: '{to}' } }, /^request: expected \{text\} in it/],
    [{ request: { text: '{text}', to: ['+47'] } }, /^request: expected \{to\} in it/],
    [{ request, reciept: receipt }, /^no member is called reciept$/],
    [{ request, encoding: 'xml' }, /^encoding: expected json or form$/],
    [{ request: { ...request, more: ['a'] }, encoding: 'form' }, /^request: expected text, numbers or flags/],
    [{ request, headers: 'authorization: x' }, /^headers: expected a JSON object$/],
    [{ request, headers: { 'x-key': 5 } }, /^headers: expected a name and one line of text, "x-key" is none$/],
    [{ request, headers: { 'x-key': 'hunter2\r\nx-more: 1' } }, /^headers: [^\d]*"x-key" is none$/],
    [{ request, headers: { 'x key': '1' } }, /^headers: .*"x key" is none$/],
    [{ request, answer: null }, /^answer: expected a JSON object$/],
    [{ request, answer: { ...answer, state: '/s' } }, /^answer: no member is called state$/],
    [{ request, answer: { ...answer, status: 5 } }, /^answer\.status: expected a JSON pointer/],
    [{ request, answer: { reference: 'id' } }, /^answer\.reference: expected a JSON pointer/],
    [{ request, answer: { ...answer, accepted: 'queued' } }, /^answer\.accepted: expected a list of words$/],
    [{ request, answer: { ...answer, refused: 'rejected' } }, /^answer\.refused: expected a list of words$/],
    [{ request, answer: { ...answer, refused: [''] } }, /^answer\.refused: expected a list of words$/],
    [{ request, answer: { ...answer, accepted: [] } }, /^answer\.accepted: expected a word/],
    [{ request, answer: { accepted: ['queued'] } }, /^answer: expected status/],
    [{ request, receipt: {} }, /^receipt: expected words in delivered or failed$/],
    [{ request, receipt: { ...receipt, delivered: 'delivered' } }, /^receipt\.delivered: expected a list of words$/],
    [{ request, receipt: { ...receipt, unreachable: 'expired' } }, /^receipt\.unreachable: expected a list of words$/],
    [{ request, receipt: { ...receipt, refused: [''] } }, /^receipt\.refused: expected a list of words$/],
    [{ request, receipt: { ...receipt, status: undefined } }, /^receipt\.status: expected a JSON pointer/],
    [{ request, receipt: { ...receipt, method: 'PUT' } }, /^receipt\.method: expected POST or GET$/],
    [{ request, receipt: { ...receipt, events: 'results' } }, /^receipt\.events: expected a JSON pointer/],
    [{ request, receipt: { ...receipt, id: undefined } }, /^receipt: expected id \(ours\) or reference/],
    [{ request, receipt: { ...receipt, reference: '/sid' } }, /^receipt\.reference: expected answer\.reference too/],
    [{ request, receipt: { ...receipt, id: 7 } }, /^receipt\.id: expected a JSON pointer/],
  ];
  for (const [mapping, message] of faults) {
    assert.throws(
      () => parse(mapping),
      (fault) => fault instanceof TypeError && message.test(fault.message),
      `${JSON.stringify(mapping)} ${message}`,
    );
  }
  assert.throws(() => parseSmsMapping('{"request": '), /^TypeError: expected JSON$/);
});
