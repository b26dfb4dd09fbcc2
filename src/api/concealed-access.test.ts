import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConcealment } from './concealed-access.ts';

const now = Date.UTC(2026, 0, 15);
const dayMs = 86_400_000;
const until = '2026-02-14T00:00:00Z';
const reason = 'Ermittlung %C3%BCber 4 O 12/26';

function parsed(
  headers: { readonly until?: string; readonly reason?: string },
  { longestMs = 30 * dayMs, scopes = ['access-log:hide'] } = {},
) {
  const given = {
    ...(headers.until === undefined ? {} : { 'access-log-hidden-until': headers.until }),
    ...(headers.reason === undefined ? {} : { 'access-log-hidden-reason': headers.reason }),
  };
  const hidden = parseConcealment(given, { clientId: 'a', scopes: new Set(scopes) }, { now, longestMs });
  if (hidden === undefined || !('slug' in hidden)) return hidden;
  return [hidden.slug, ...(hidden.issues ?? []).map(({ name, code }) => `${name} ${code}`)];
}

test('a request to conceal an access is refused without a reason or beyond the time that the operator allows', () => {
  const hidden = { hiddenUntil: '2026-02-14T00:00:00.000Z', hiddenReason: 'Ermittlung \u00fcber 4 O 12/26' };
  const early = 'access-log-hidden-until out-of-range';
  const unsaid = 'access-log-hidden-reason malformed';
  assert.deepEqual(parsed({ until, reason }), hidden);
  assert.equal(parsed({}), undefined);
  assert.deepEqual(parsed({ reason }), ['bad-request', 'access-log-hidden-until required']);
  assert.deepEqual(parsed({ until }), ['bad-request', 'access-log-hidden-reason required']);
  for (const other of ['2026-02-14T00:00:00.001Z', '2026-01-15T00:00:00Z'])
    assert.deepEqual(parsed({ until: other, reason }), ['bad-request', early], other);
  for (const other of ['2026-02-14', 'Sat, 14 Feb 2026 00:00:00 GMT', '2026-02-14T00:00:00', '2026-01-30T00:00:00Z '])
    assert.deepEqual(parsed({ until: other, reason }), ['bad-request', 'access-log-hidden-until malformed'], other);
  for (const same of ['2026-02-14T00:00:00.000000Z', '2026-02-14t02:00:00+02:00', '2026-02-13T22:00:00.0-02:00'])
    assert.deepEqual(parsed({ until: same, reason }), hidden, same);
  for (const other of ['', ' ', '%00', '%E4', 'a%0Ab', 'x'.repeat(201)])
    assert.deepEqual(parsed({ until, reason: other }), ['bad-request', unsaid], other);
  assert.deepEqual(parsed({ until, reason: 'x'.repeat(200) }), { ...hidden, hiddenReason: 'x'.repeat(200) });
});

test('a concealment until a date that does not exist is refused', () => {
  const longestMs = 60 * dayMs;
  const early = ['bad-request', 'access-log-hidden-until malformed'];
  assert.deepEqual(parsed({ until: '2026-02-30T00:00:00Z', reason }, { longestMs }), early);
});

test('a concealment is refused without the scope, or if the operator allows none', () => {
  for (const headers of [{ until, reason }, { until }, { reason }]) {
    assert.deepEqual(parsed(headers, { scopes: ['documents:read'] }), ['hiding-not-permitted']);
    assert.deepEqual(parsed(headers, { longestMs: 0 }), ['hiding-not-permitted']);
  }
});
