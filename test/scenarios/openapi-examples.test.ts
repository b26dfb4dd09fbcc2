import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type RecordedExample, recordedExampleOf } from '../../src/api/openapi/recorded-examples.ts';
import { operations } from '../../src/app/operations.ts';
import { isObject } from '../../src/kernel/is-object.ts';
import { recordExamples } from '../support/example-story.ts';
import { createResponseCheck } from '../support/openapi-response-check.ts';
import { fileCleanupScope } from '../support/server-process.ts';

const thisFile = fileCleanupScope();
const check = createResponseCheck();
let fresh: ReadonlyMap<string, RecordedExample>;
before(async () => {
  fresh = await recordExamples(thisFile);
});

/** The members of a value at any depth, with the type of each. Items of a list count once. */
function shapeOf(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => shapeOf(item, `${place}[]`)))].sort();
  if (!isObject(value)) return [`${place}: ${typeof value}`];
  return Object.entries(value)
    .flatMap(([name, member]) => shapeOf(member, `${place}.${name}`))
    .sort();
}

for (const { name, method, path, responses } of operations) {
  test(`the recorded example of ${name} has the request and the shape of the response of a fresh demo`, () => {
    const recorded = recordedExampleOf(name) ?? assert.fail(`${name} has no example: run scripts/record-examples.ts`);
    const answered = fresh.get(name) ?? assert.fail(`test/support/example-story.ts has no request of ${name}`);
    assert.deepEqual(shapeOf(recorded.request), shapeOf(answered.request));
    assert.equal(recorded.status, answered.status);
    assert.deepEqual(shapeOf(recorded.answer), shapeOf(answered.answer));
    const isJson = responses[recorded.status]?.schema !== undefined;
    assert.equal(isObject(recorded.answer), isJson);
    if (!isJson) return;
    const place = path.replaceAll(/\{(\w+)\}/g, (_whole, param: string) => recorded.request.params?.[param] ?? '');
    const { problems } = check({
      method,
      path: place,
      status: recorded.status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(recorded.answer)),
    });
    assert.deepEqual(
      problems.filter((problem) => !problem.startsWith('no header')),
      [],
    );
  });
}

test('a notification is accepted in its example, and no example withdraws all contact preferences', () => {
  assert.equal(recordedExampleOf('sendNotification')?.status, 202);
  const { body } = recordedExampleOf('statePreferences')?.request ?? {};
  assert.deepEqual(body, {
    channels: ['email'],
    declined: ['sms'],
    hours: { channels: ['email'], from: 8, until: 20, timeZone: 'Europe/London' },
    language: 'en',
  });
});

test('the ids in examples have the prefix of their kind', () => {
  const message = recordedExampleOf('openInboxMessage')?.answer;
  assert.ok(isObject(message) && Array.isArray(message['attachments']));
  assert.match(JSON.stringify(message['attachments']), /^\[\{"id":"doc_/);
});
