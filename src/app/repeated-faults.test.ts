import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Log } from '../api/log.ts';
import { limitRepeatedFaults } from './repeated-faults.ts';

/** A log on a clock that the test moves, and its lines. */
function collectingLog() {
  const lines: string[] = [];
  const time = { now: 1_000_000 };
  const log: Log = {
    ...createLog('silent'),
    fault: (where, fault, instance) =>
      lines.push(
        [where, fault instanceof Error ? fault.message : '', ...(instance === undefined ? [] : [instance])].join(' '),
      ),
    warning: (message, fields) => lines.push(`${message} ${fields?.['faultsNotLogged']}`),
  };
  return { lines, time, log: limitRepeatedFaults(log, { now: () => time.now }) };
}

test('a fault that a job meets each second is logged once a minute, with the number of lines left out', () => {
  const { lines, time, log } = collectingLog();
  for (let second = 0; second <= 60; second += 1) {
    log.fault('ledger', new Error(`the ledger has ${37_531 + second} entries`));
    time.now += 1_000;
  }
  assert.deepEqual(lines, [
    'ledger the ledger has 37531 entries',
    'the next fault occurred repeatedly 59',
    'ledger the ledger has 37591 entries',
  ]);
});

test('different faults, faults of requests and faults after a minute are all logged', () => {
  const { lines, time, log } = collectingLog();
  log.fault('ledger', new Error('one'));
  log.fault('ledger', new Error('other'));
  log.fault('webhooks', new Error('one'));
  for (const instance of ['a', 'b']) log.fault('send', new Error('one'), instance);
  time.now += 60_000;
  log.fault('ledger', new Error('one'));
  assert.deepEqual(lines, ['ledger one', 'ledger other', 'webhooks one', 'send one a', 'send one b', 'ledger one']);
});

test('at most ten messages of one kind of fault are logged in a minute', () => {
  const { lines, time, log } = collectingLog();
  const messages = Array.from({ length: 20 }, (_, at) => String.fromCodePoint(97 + at));
  for (const message of messages) log.fault('citizen-pages', new Error(message));
  log.fault('citizen-pages', new TypeError('other kind'));
  const ten = messages.slice(0, 10).map((message) => `citizen-pages ${message}`);
  assert.deepEqual(lines, [...ten, 'citizen-pages other kind']);
  time.now += 60_000;
  log.fault('citizen-pages', new Error('z'));
  assert.deepEqual(lines.slice(11), ['the next fault occurred repeatedly 10', 'citizen-pages z']);
});
