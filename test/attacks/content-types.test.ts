import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { parseMediaType } from '../../src/documents/media-type.ts';
import { bearerHeaders, createHttpClient } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { createClientToken, validDepositHeaders, validDocument } from '../support/valid-requests.ts';

// Attack: a Content-Type that a pattern can read in many ways. The server would try all of them, and answer nobody meanwhile.

/** The start, the repeated part and the end of values that are no media type. */
const hostile: Readonly<Record<string, readonly [start: string, repeated: string, end: string]>> = {
  'spaces between empty parameters': ['application/pdf', '; ', '/'],
  'many spaces between empty parameters': ['application/pdf', ';      ', '/'],
  'tabs and spaces before a wrong name': ['application/pdf;', ' \t', '/'],
  'parameters and a wrong end': ['application/pdf', '; a=b', ';/'],
  'a quoted text without an end': ['application/pdf; a="', '\\"', ''],
  'one long name': ['application/pdf; ', 'a', '/'],
  'charsets of text': ['text/plain', ';charset=utf-8 ', '/'],
};

/** The value with this length. The header of a deposit may have 200 characters. */
const headerOf = ([start, repeated, end]: readonly [string, string, string], length: number) =>
  start + repeated.repeat(Math.floor((length - start.length - end.length) / repeated.length)) + end;

let home: ServerFixture;
let token = '';

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  token = await createClientToken(home, 'Office');
});

const limitMs = 1_000;

for (const [what, parts] of Object.entries(hostile)) {
  test(`a Content-Type with ${what} is refused at once`, { timeout: 60_000 }, async () => {
    for (const length of [200, 12_000]) {
      const started = performance.now();
      assert.equal(parseMediaType(headerOf(parts, length)), undefined);
      assert.ok(performance.now() - started < limitMs);
    }
  });

  test(`a deposit with ${what} in its Content-Type is refused, as header and as part of a form`, {
    timeout: 60_000,
  }, async () => {
    const ask = createHttpClient(home.url);
    const header = headerOf(parts, 200);
    const headers = bearerHeaders(token, { ...validDepositHeaders(), 'content-type': header });
    const direct = await ask({ method: 'POST', path: '/v1/documents', headers, body: validDocument });
    // A tab is refused as a character of a header, before the value is parsed.
    assert.ok([400, 415].includes(direct.status), String(direct.body));
    const body = [
      '--b\r\ncontent-disposition: form-data; name="citizenId"\r\n\r\ndemo-mary\r\n',
      '--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nTitle\r\n',
      `--b\r\ncontent-disposition: form-data; name="document"; filename="a.pdf"\r\ncontent-type: ${header}\r\n\r\n`,
      `${validDocument}\r\n--b--\r\n`,
    ].join('');
    const form = await ask({
      method: 'POST',
      path: '/v1/documents',
      headers: bearerHeaders(token, { 'content-type': 'multipart/form-data; boundary=b' }),
      body,
    });
    assert.ok(form.status < 500, String(form.body));
    assert.equal((await fetch(`${home.url}/healthz`)).status, 200);
  });
}
