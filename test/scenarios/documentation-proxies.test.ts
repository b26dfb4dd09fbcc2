import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { walletPaths } from '../../src/wallet/protocol/request-object.ts';
import { citizenPaths } from '../../src/web/sign-in-flow.ts';
import { staffPaths } from '../../src/web/staff/staff-area.ts';

const page = readFileSync(`${import.meta.dirname}/../../docs/operate/proxy.md`, 'utf8');

test('the documented nginx and HAProxy pass cookies to the pages for people, and to no endpoint of the API', () => {
  const nginx = new RegExp(/map \$uri \$passed_cookie \{ ~(\S+)/.exec(page)?.[1] ?? assert.fail('no map'));
  const [, exact = '', below = ''] =
    /del-header Cookie unless \{ path (.*?) \} or \{ path_beg (.*?) \}/.exec(page) ?? [];
  const haproxy = (path: string) =>
    exact.split(' ').includes(path) || below.split(' ').some((start) => path.startsWith(start));
  const passes = (path: string) => [nginx.test(path), haproxy(path)];
  for (const path of [
    citizenPaths.home,
    citizenPaths.returned,
    staffPaths.home,
    staffPaths.returned,
    '/received/mark',
    `${walletPaths.pages}/handle`,
  ])
    assert.deepEqual(passes(path), [true, true], path);
  for (const path of ['/v1/inbox', '/oauth2/token', '/metrics']) assert.deepEqual(passes(path), [false, false], path);
});
