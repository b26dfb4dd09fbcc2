import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timer } from '../jobs/timer.ts';
import { type DoctorCheck, doctorCommand, faultFinding, okFinding, warnFinding } from './doctor.ts';

/** Runs the command with these checks. All timers fire after the checks have begun. */
async function run(checks: readonly DoctorCheck[], ...args: readonly string[]) {
  return await runStages([checks], ...args);
}

async function runStages(stages: readonly (readonly DoctorCheck[])[], ...args: readonly string[]) {
  const printed: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const passing: (() => void)[] = [];
  const timer: Timer = (_ms, call) => {
    passing.push(call);
    return () => undefined;
  };
  const terminal = {
    stdout: (text: string) => void printed.stdout.push(text),
    stderr: (text: string) => void printed.stderr.push(text),
    isInteractive: false,
    cwd: '/',
  };
  let ended = 0;
  const end = async () => {
    ended += 1;
  };
  const redact = (text: string) => text.replaceAll('hunter2', '[secret]');
  const running = doctorCommand(async () => ({ stages, redact, end }), terminal, timer).run(args);
  // The command reads the plan in the first turn of the event loop, and starts the first stage in the second.
  for (let turn = 0; turn < 2; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  for (const call of passing) call();
  const code = await running;
  return { code, stdout: printed.stdout.join(''), stderr: printed.stderr.join(''), ended };
}

const check = (name: string, run: DoctorCheck['run']): DoctorCheck => ({ name, run, fix: 'see it' });

test('a check that throws or never ends is a finding, and the other checks are reported', async () => {
  const { code, stdout, stderr, ended } = await run([
    check('first', () => new Promise(() => undefined)),
    check('second', () => okFinding('well')),
    check('third', async () => {
      throw new Error('broken\n  twice');
    }),
    check('fourth', async () => []),
  ]);
  assert.deepEqual(stdout.split('\n'), [
    'FAULT  first   no answer within 10 s -> see it',
    'ok     second  well',
    'FAULT  third   broken twice -> see it',
    '',
  ]);
  assert.deepEqual([code, stderr, ended], [1, '1 ok, 0 warnings, 2 faults\n', 1]);
});

test('a certificate error has its own fix instead of the fix of the check', async () => {
  const fixOf = async (found: string) => {
    const checks = [check('sms', async () => [faultFinding(found, 'see that it runs')])];
    return (await run(checks)).stdout.split(' -> ')[1]?.trimEnd();
  };
  const chain =
    'self-signed certificate in certificate chain; if the root CA is installed locally, try running Node.js with --use-system-ca';
  assert.match((await fixOf(chain)) ?? '', /^if your own authority issued it, set NODE_EXTRA_CA_CERTS/);
  assert.match((await fixOf('https://a: certificate has expired')) ?? '', /^ask its operator to renew the certificate/);
  const other = "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b";
  assert.match((await fixOf(other)) ?? '', /^use a host name that is in its certificate/);
  assert.equal(await fixOf('connect ECONNREFUSED'), 'see that it runs');
});

test('the fix of a finding is that of its error, and no finding contains a secret', async () => {
  const checks = [
    check('one', () => Promise.reject(new Error('no key at /a. Restore it from your copy'))),
    check('two', () => Promise.reject(new Error('the file was changed: bring it back'))),
    check('three', () => Promise.reject(new Error('not hunter2; use another than hunter2'))),
    check('four', () => faultFinding('not hunter2', 'replace hunter2')),
  ];
  assert.deepEqual((await run(checks)).stdout.split('\n'), [
    'FAULT  one    no key at /a -> Restore it from your copy',
    'FAULT  two    the file was changed -> bring it back',
    'FAULT  three  not [secret] -> use another than [secret]',
    'FAULT  four   not [secret] -> replace [secret]',
    '',
  ]);
});

test('doctor with only warnings gives exit code 0', async () => {
  const { code, stdout } = await run(
    [check('one', async () => [warnFinding('low', 'raise it'), okFinding('there')])],
    '--json',
  );
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    checks: [
      { name: 'one', status: 'warn', found: 'low', fix: 'raise it' },
      { name: 'one', status: 'ok', found: 'there' },
    ],
  });
  assert.equal((await run([check('two', async () => [faultFinding('bad', 'fix it')])], '--json')).code, 1);
});

test('the second stage begins after the first has ended, and findings are printed in that order', async () => {
  const order: string[] = [];
  const recording = (name: string) =>
    check(name, async () => {
      order.push(`${name} begins`);
      await new Promise<void>((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      return [okFinding('well')];
    });
  const { stdout } = await runStages([[recording('first'), recording('second')], [recording('third')]]);
  assert.deepEqual(order.slice(2, 5), ['first ends', 'second ends', 'third begins']);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.split(/ +/)[1]),
    ['first', 'second', 'third', undefined],
  );
});

test('an unknown certificate authority has its own fix in a warning and in an error, and none in an ok finding', async () => {
  const message =
    'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca';
  const { stdout } = await run(
    [
      check('warns', async () => [warnFinding(message, 'see the relay')]),
      check('fails', () => Promise.reject(new Error(message))),
      check('well', async () => [okFinding(message)]),
    ],
    '--json',
  );
  const fix = 'if your own authority issued it, set NODE_EXTRA_CA_CERTS: docs/operate/proxy.md#authorities';
  assert.deepEqual(JSON.parse(stdout).checks, [
    { name: 'warns', status: 'warn', found: 'self-signed certificate', fix },
    { name: 'fails', status: 'fault', found: 'self-signed certificate', fix },
    { name: 'well', status: 'ok', found: message },
  ]);
});
