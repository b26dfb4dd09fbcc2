import { parseArgs } from 'node:util';
import { createCallTimeout, timedOut } from '../jobs/call-timeout.ts';
import type { Timer } from '../jobs/timer.ts';
import type { Command, Terminal } from './command.ts';
import { explainUnknownAuthority } from './unknown-authority.ts';

/** What a check has found; `fix` says what to do. */
export type DoctorFinding =
  | { readonly is: 'ok'; readonly found: string }
  | { readonly is: 'warn' | 'fault'; readonly found: string; readonly fix: string };

export const okFinding = (found: string): DoctorFinding => ({ is: 'ok', found });
export const warnFinding = (found: string, fix: string): DoctorFinding => ({ is: 'warn', found, fix });
export const faultFinding = (found: string, fix: string): DoctorFinding => ({ is: 'fault', found, fix });

/** One look at an installation. It changes nothing, and what it gives holds no secret. */
export type DoctorCheck = {
  readonly name: string;
  /** What it found; nothing where there is nothing to be looked at, or another check says why. */
  run(): Promise<readonly DoctorFinding[]>;
  /** What is said where it fails or does not end in time. */
  readonly onFailure: { readonly is: 'warn' | 'fault'; readonly fix: string };
};

/**
 * The checks of this installation, and what ends what they have opened. Those of one stage look at once; what hinders
 * others, as names that nobody resolves, comes behind them.
 */
export type CheckPlan = { readonly stages: readonly (readonly DoctorCheck[])[]; end(): Promise<unknown> };

type NamedFinding = DoctorFinding & { readonly name: string };

/** A check has so long; those that wait for another machine give up earlier. */
const deadlineMs = 10_000;

/** `doctor`: says of an installation what is well, what is not, and what to do. */
export function doctorCommand(planChecks: () => Promise<CheckPlan>, terminal: Terminal, timer: Timer): Command {
  return {
    name: 'doctor',
    usage: 'doctor [--json]',
    summary: 'Says what of this installation is well, what is not, and what to do; changes nothing.',
    details:
      'Run it as the user of the server, with its settings: before the first start, after each change, when something is wrong.\nExit code 1 when there is a FAULT; a warning alone is 0.',
    run: async (args) => {
      const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
      const { stages, end } = await planChecks();
      const limit = createCallTimeout(timer, deadlineMs);
      const findings: NamedFinding[] = [];
      for (const checks of stages) {
        findings.push(...(await Promise.all(checks.map((check) => findingsOf(check, limit)))).flat());
      }
      // What does not end, as a relay that never answers, is left to the end of the process.
      await limit.waitFor(end().catch(() => undefined));
      if (values.json === true) terminal.stdout(`${JSON.stringify({ checks: findings.map(asJson) }, undefined, 2)}\n`);
      else printFindings(findings, terminal);
      return findings.some(({ is }) => is === 'fault') ? 1 : 0;
    },
  };
}

async function findingsOf(
  { name, run, onFailure }: DoctorCheck,
  limit: ReturnType<typeof createCallTimeout>,
): Promise<readonly NamedFinding[]> {
  try {
    const findings = await limit.waitFor(run());
    if (findings !== timedOut) return findings.map((finding) => ({ name, ...explainCertificate(finding) }));
    return [{ name, ...onFailure, found: `no answer within ${limit.ms / 1_000} s` }];
  } catch (fault) {
    return [
      { name, ...explainCertificate({ ...onFailure, found: fault instanceof Error ? fault.message : String(fault) }) },
    ];
  }
}

/** What is wrong with a certificate is mended there, or in what is asked of it: whoever shows it runs, and was reached. */
function explainCertificate(finding: DoctorFinding): DoctorFinding {
  if (finding.is === 'ok') return finding;
  const unknown = explainUnknownAuthority(finding.found);
  if (unknown !== undefined) return { ...finding, ...unknown };
  if (/certificate has expired/.test(finding.found))
    return {
      ...finding,
      fix: 'whoever runs it has to renew its certificate; and see that the clock of this machine is right',
    };
  if (/altnames/.test(finding.found))
    return { ...finding, fix: 'call it by a name that stands in its certificate, or have it get one for this name' };
  return finding;
}

/** The words of the line, and of the JSON. */
const statusLabels = { ok: 'ok', warn: 'warn', fault: 'FAULT' } as const;

function asJson({ name, is, found, ...more }: NamedFinding) {
  return { name, status: is, found, ...more };
}

function printFindings(findings: readonly NamedFinding[], { stdout, stderr }: Terminal): void {
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const finding of findings) {
    const { name, is, found } = finding;
    const fix = 'fix' in finding ? ` -> ${finding.fix}` : '';
    stdout(`${statusLabels[is].padEnd(5)}  ${name.padEnd(width)}  ${`${found}${fix}`.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  }
  const count = (wanted: DoctorFinding['is']) => findings.filter(({ is }) => is === wanted).length;
  stderr(`${count('ok')} ok, ${count('warn')} warnings, ${count('fault')} faults\n`);
}
