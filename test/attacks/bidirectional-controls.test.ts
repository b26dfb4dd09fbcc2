import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConcealment } from '../../src/api/concealed-access.ts';
import { clientFault } from '../../src/auth/client.ts';
import { decodeLine } from '../../src/documents/http/header-text.ts';
import { parseVerificationRequest } from '../../src/identity/register/claims.ts';
import { singleLinePattern } from '../../src/kernel/single-line-text.ts';
import { textFormIssues } from '../../src/notifications/send-request.ts';

// Attack: a bidirectional control in a subject, a title or a name reverses the text that is shown after it.

const controls = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];
const others = ['\u0007', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\ud800', '\n'];
const good = ['Bill 100 €', 'פנייה 12', 'الطلب\u200f (12)', 'O’Brien\u200e', '👩\u200d🚀', 'ẞ'];

const quota = { perSecond: 1, burst: 2 };
const now = Date.UTC(2026, 0, 1);
const hider = { clientId: 'a', scopes: new Set(['access-log:hide' as const]) };

/** Whether each place that shows one line accepts the text. */
const places: Readonly<Record<string, (text: string) => boolean>> = {
  'the name of a client': (name) => clientFault({ name, scopes: ['documents:read'], quota }) === undefined,
  'the title of a document': (title) => decodeLine(encode(title), 200) !== undefined,
  'a subject or a reference': (subject) => textFormIssues([['/subject', subject, 'line']]).length === 0,
  'a purpose in the access log': (purpose) =>
    'request' in parseVerificationRequest({ purpose, citizenId: 'C-1' }, { from: 'body', now }),
  'the reason of a concealed access': (reason) => {
    const headers = { 'access-log-hidden-until': '2026-01-02T00:00:00Z', 'access-log-hidden-reason': encode(reason) };
    return 'hiddenReason' in (parseConcealment(headers, hider, { now, longestMs: 172_800_000 }) ?? {});
  },
};

/** A lone surrogate cannot be percent-encoded: such a header has the bytes of one. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

for (const [place, accepts] of Object.entries(places)) {
  test(`${place} has no bidirectional or other control`, () => {
    for (const control of [...controls, ...others]) {
      assert.equal(singleLinePattern.test(`A${control}B`), false);
      assert.equal(accepts(`A ${control}B`), false, `U+${control.charCodeAt(0).toString(16)}`);
    }
    for (const text of good) assert.equal(accepts(text), true, text);
  });
}
