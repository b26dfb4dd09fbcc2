import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext } from 'node:test';
import { commandLine } from '../../src/app/command-line.ts';
import { freePort } from './free-port.ts';
import { type CleanupScope, makeServerFixture, runDemoOnce } from './server-process.ts';
import { startScriptedSmtpServer } from './smtp-server.ts';
import { makeTestFolder } from './test-folder.ts';

/** One finding of `doctor --json`. */
export type DoctorFinding = {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fault';
  readonly found: string;
  readonly fix?: string;
};

/** The result of `doctor`; `failures` are the findings that are not ok. */
export type DoctorReport = {
  readonly code: number;
  readonly findings: readonly DoctorFinding[];
  ofCheck(name: string): readonly DoctorFinding[];
  failures(): readonly DoctorFinding[];
};

/** The value of every secret in the settings of these tests: it must never be printed. */
export const testPassword = 'hunter2-and-more';

/** Runs `doctor` with those settings in this process. */
export async function runDoctor(settings: Readonly<Record<string, string>>): Promise<DoctorReport> {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: '/' };
  const code = await commandLine(
    ['doctor', '--json'],
    { CLAMAV: 'off', MAIL_FROM: 'no-reply@example.gov', ...settings },
    terminal,
  );
  const text = written.join('');
  assert.ok(!text.includes(testPassword) && !text.includes(Buffer.from(testPassword).toString('base64')), text);
  const { checks } = JSON.parse(text) as { readonly checks: readonly DoctorFinding[] };
  return {
    code,
    findings: checks,
    ofCheck: (name) => checks.filter((finding) => finding.name === name),
    failures: () => checks.filter(({ status }) => status !== 'ok'),
  };
}

/** A copy of the data of a server, for a test to damage. */
export function copyDataDir(t: CleanupScope, dataDir: string): string {
  const folder = makeTestFolder('cs-doctor-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'data');
  // A socket that a server left cannot be copied.
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  return copy;
}

/** The mode, modification time and SHA-256 of each file in a folder, by relative path. */
export function fingerprintFiles(folder: string): ReadonlyMap<string, string> {
  const print = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const { mode, mtimeMs } = statSync(join(folder, name));
    const bytes = statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name)) : '';
    print.set(name, `${mode.toString(8)} ${mtimeMs} ${createHash('sha256').update(bytes).digest('hex')}`);
  }
  return print;
}

/** Starts a mail relay that accepts mail, and returns its URL. */
async function startMailRelay(t: TestContext): Promise<string> {
  return `smtp://127.0.0.1:${(await startScriptedSmtpServer(t)).port}`;
}

/** Returns a function that damages a copy of a healthy installation and runs `doctor`, which must change nothing. */
export function doctorOnDamagedCopy(intactDataDir: () => string) {
  return async (
    t: TestContext,
    damage: (dataDir: string) => unknown = () => undefined,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<DoctorReport> => {
    const dataDir = copyDataDir(t, intactDataDir());
    await damage(dataDir);
    const port = String(await freePort());
    const defaults = { DATA_DIR: dataDir, PORT: port, SMTP_URL: await startMailRelay(t) };
    const before = fingerprintFiles(dataDir);
    const report = await runDoctor({ ...defaults, PUBLIC_URL: `http://127.0.0.1:${port}`, ...settings });
    assert.deepEqual(fingerprintFiles(dataDir), before);
    return report;
  };
}

/** The same with a demo that was stopped properly. Call it at the top of a test file. */
export function doctorOnDamagedDemo(thisFile: CleanupScope) {
  let intactDataDir = '';
  before(async () => {
    const home = await makeServerFixture(thisFile);
    await runDemoOnce(home);
    intactDataDir = copyDataDir(thisFile, home.dataDir);
  });
  return doctorOnDamagedCopy(() => intactDataDir);
}
