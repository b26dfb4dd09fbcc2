import { parseArgs } from 'node:util';
import { type CallTimeout, createCallTimeout, timedOut } from '../jobs/call-timeout.ts';
import type { Timer } from '../jobs/timer.ts';
import { type Command, explainUnknownAuthority, jsonOption, messageOf, type Terminal } from './command.ts';

/** The result of a check; `fix` is what the operator has to do. It contains no secret. */
export type DoctorFinding =
  | { readonly is: 'ok'; readonly found: string }
  | { readonly is: 'warn' | 'fault'; readonly found: string; readonly fix: string };

/** A finding that needs no action. */
export const okFinding = (found: string): DoctorFinding => ({ is: 'ok', found });
/** A finding that does not change the exit code. */
export const warnFinding = (found: string, fix: string): DoctorFinding => ({ is: 'warn', found, fix });
/** A finding that gives exit code 1. */
export const faultFinding = (found: string, fix: string): DoctorFinding => ({ is: 'fault', found, fix });

/** Nothing if there is nothing to check, or if another check reports the reason. */
export type DoctorFindings = DoctorFinding | readonly DoctorFinding[] | undefined;

/** One check of an installation. It changes nothing. */
export type DoctorCheck = {
  readonly name: string;
  /** The instruction for the operator if the check times out, or throws an error without one. */
  readonly fix: string;
  run(): DoctorFindings | Promise<DoctorFindings>;
};

/** The checks of this installation. The checks of a stage run concurrently, stages one after the other. */
export type CheckPlan = {
  readonly stages: readonly (readonly DoctorCheck[])[];
  /** Replaces the secrets of the settings in a text: another machine may repeat one in its error message. */
  readonly redact: (text: string) => string;
  /** Closes what the checks opened. */
  end(): Promise<unknown>;
};

type NamedFinding = DoctorFinding & { readonly name: string };

const deadlineMs = 10_000;

/** `doctor`: checks an installation and prints for each problem what to do. */
export function doctorCommand(planChecks: () => Promise<CheckPlan>, terminal: Terminal, timer: Timer): Command {
  return {
    name: 'doctor',
    usage: 'doctor [--json]',
    summary: 'Checks this installation and prints how to fix each problem.',
    options: [jsonOption],
    notes:
      'It changes nothing. Run it as the user of the server, with its settings: before the first start, after each change, and when there is a problem.\n\nThe exit code is 1 if there is a FAULT, and 0 if there are only warnings.',
    run: async (args) => {
      const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
      const { stages, redact, end } = await planChecks();
      const limit = createCallTimeout(timer, deadlineMs);
      const findings: NamedFinding[] = [];
      for (const checks of stages) {
        findings.push(...(await Promise.all(checks.map((check) => findingsOf(check, limit, redact)))).flat());
      }
      // A call that never ends, such as to a relay that does not answer, ends with the process.
      await limit.waitFor(end().catch(() => undefined));
      if (values.json === true) terminal.stdout(`${JSON.stringify({ checks: findings.map(asJson) }, undefined, 2)}\n`);
      else printFindings(findings, terminal);
      return findings.some(({ is }) => is === 'fault') ? 1 : 0;
    },
  };
}

async function findingsOf(
  { name, fix, run }: DoctorCheck,
  limit: CallTimeout,
  redact: CheckPlan['redact'],
): Promise<readonly NamedFinding[]> {
  let found: DoctorFindings | typeof timedOut;
  try {
    found = await limit.waitFor((async () => await run())());
  } catch (error) {
    found = errorFinding(redact(messageOf(error)), fix);
  }
  if (found === timedOut) found = faultFinding(`no answer within ${limit.ms / 1_000} s`, fix);
  return [found ?? []].flat().map((finding) => ({ name, ...finishFinding(finding, redact) }));
}

function finishFinding(finding: DoctorFinding, redact: CheckPlan['redact']): DoctorFinding {
  const found = redact(finding.found);
  if (finding.is === 'ok') return { is: 'ok', found };
  return { is: finding.is, found, fix: redact(finding.fix), ...explainCertificate(found) };
}

/** Many error messages end with what to do: after a full stop, a semicolon, or a colon with one of these verbs. */
const messageWithFix = /^(.+?)(?:\. |; |: (?=(?:bring|create|end|give|set|start) ))(.+)$/s;

function errorFinding(message: string, defaultFix: string): DoctorFinding {
  if (explainCertificate(message) !== undefined) return faultFinding(message, defaultFix);
  const [, found = message, fix = defaultFix] = messageWithFix.exec(message) ?? [];
  return faultFinding(found, fix);
}

/** The fix for a certificate error: that service runs and can be reached, so the fix of the check would mislead. */
function explainCertificate(found: string): { readonly fix: string; readonly found?: string } | undefined {
  if (/certificate has expired/.test(found))
    return { fix: 'ask its operator to renew the certificate, and check the clock of this machine' };
  if (/altnames/.test(found))
    return { fix: 'use a host name that is in its certificate, or ask its operator for a certificate with this name' };
  return explainUnknownAuthority(found);
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
  const counted = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;
  stderr(`${count('ok')} ok, ${counted(count('warn'), 'warning')}, ${counted(count('fault'), 'fault')}\n`);
}
