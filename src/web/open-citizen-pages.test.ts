import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInFault } from '../auth/citizen-sign-in.ts';
import { throttleFaults } from './open-citizen-pages.ts';

test('at most ten faults of each kind are logged in a minute', () => {
  let now = 0;
  const logged: string[] = [];
  const log = throttleFaults(
    (fault) => logged.push(fault instanceof Error ? fault.name : ''),
    () => now,
  );
  const logMany = () => {
    for (let times = 0; times < 30; times += 1) log(new SignInFault('https://login.example.gov', { cause: undefined }));
  };
  const ten = new Array(10).fill('SignInFault');
  logMany();
  log(new TypeError('another kind'));
  assert.deepEqual(logged, [...ten, 'TypeError']);
  now += 60_000;
  logMany();
  assert.deepEqual(logged, [...ten, 'TypeError', ...ten]);
});
