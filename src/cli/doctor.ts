import { parseArgs } from 'node:util';
import { createCallTimeout, timedOut } from '../jobs/call-timeout.ts';
import type { Timer } from '../jobs/timer.ts';
import type { Command, Terminal } from './command.ts';
import { explainUnknownAuthority } from './unknown-authority.ts';

/** The result of a check; `fix` reports the operator what to do. */
export type DoctorFinding =
  | { readonly is: 'ok'; readonly found: string }
  | { readonly is: 'warn' | 'fault'; readonly found: string; readonly fix: string };

/** A finding that needs no action. */
export const okFinding = (found: string): DoctorFinding => ({ is: 'ok', found });
/** A finding that does not change the exit code. */
export const warnFinding = (found: string, fix: string): DoctorFinding => ({ is: 'warn', found, fix });
/** A finding that gives exit code 1. */
export const faultFinding = (found: string, fix: string): DoctorFinding => ({ is: 'fault', found, fix });

/** One check of an installation. It changes nothing, and its findings contain no secret. */
export type DoctorCheck = {
  readonly name: string;
  /** Returns no finding if there is nothing to check, or if another check reports the reason. */
  run(): Promise<readonly DoctorFinding[]>;
  /** The status and the fix if it throws or times out. */
  readonly onFailure: { readonly is: 'warn' | 'fault'; readonly fix: string };
};

/** The checks of this installation. The checks of a stage run concurrently, stages one after the other. `end` closes what they opened. */
export type CheckPlan = { readonly stages: readonly (readonly DoctorCheck[])[]; end(): Promise<unknown> };

type NamedFinding = DoctorFinding & { readonly name: string };

/** The time limit of a check. Checks that wait for another machine have shorter limits. */
const deadlineMs = 10_000;

/** `doctor`: checks an installation and prints for each problem what to do. */
export function doctorCommand(planChecks: () => Promise<CheckPlan>, terminal: Terminal, timer: Timer): Command {
  return {
    name: 'doctor',
    usage: 'doctor [--json]',
    summary: 'Checks this installation and prints how to fix each problem. Changes nothing.',
    details:
      'Run it as the user of the server, with its settings: before the first start, after each change, and when something is wrong.\nThe exit code is 1 if there is a FAULT, and 0 if there are only warnings.',
    run: async (args) => {
      const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
      const { stages, end } = await planChecks();
      const limit = createCallTimeout(timer, deadlineMs);
      const findings: NamedFinding[] = [];
      for (const checks of stages) {
        findings.push(...(await Promise.all(checks.map((check) => findingsOf(check, limit)))).flat());
      }
      // A call that never ends, such as to a silent relay, ends with the process.
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

/** Replaces the fix for a certificate error: that service runs and can be reached, so the fix of the check would mislead. */
function explainCertificate(finding: DoctorFinding): DoctorFinding {
  if (finding.is === 'ok') return finding;
  const unknown = explainUnknownAuthority(finding.found);
  if (unknown !== undefined) return { ...finding, ...unknown };
  if (/certificate has expired/.test(finding.found))
    return {
      ...finding,
      fix: 'ask its operator to renew the certificate, and check the clock of this machine',
    };
  if (/altnames/.test(finding.found))
    return {
      ...finding,
      fix: 'use a host name that is in its certificate, or ask its operator for a certificate with this name',
    };
  return finding;
}

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
