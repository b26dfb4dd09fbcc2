import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInFault } from '../auth/citizen-sign-in.ts';
import { throttleFaults } from './open-citizen-pages.ts';

test('of each kind of fault ten a minute are told', () => {
  let now = 0;
  const told: string[] = [];
  const tell = throttleFaults(
    (fault) => told.push(fault instanceof Error ? fault.name : ''),
    () => now,
  );
  const tellMany = () => {
    for (let times = 0; times < 30; times += 1)
      tell(new SignInFault('https://login.example.gov', { cause: undefined }));
  };
  const ten = new Array(10).fill('SignInFault');
  tellMany();
  tell(new TypeError('another kind'));
  assert.deepEqual(told, [...ten, 'TypeError']);
  now += 60_000;
  tellMany();
  assert.deepEqual(told, [...ten, 'TypeError', ...ten]);
});
