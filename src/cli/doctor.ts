import { parseArgs } from 'node:util';
import { createLimit, late } from '../jobs/limit.ts';
import type { Timer } from '../jobs/timer.ts';
import type { Command, Terminal } from './command.ts';
import { ofUnknownAuthority } from './own-authority.ts';

/** What a check has found; `fix` says what to do. */
export type Finding =
  | { readonly is: 'ok'; readonly found: string }
  | { readonly is: 'warn' | 'fault'; readonly found: string; readonly fix: string };

export const ok = (found: string): Finding => ({ is: 'ok', found });
export const warn = (found: string, fix: string): Finding => ({ is: 'warn', found, fix });
export const faulty = (found: string, fix: string): Finding => ({ is: 'fault', found, fix });

/** One look at an installation. It changes nothing, and what it gives holds no secret. */
export type Check = {
  readonly name: string;
  /** What it found; nothing where there is nothing to be looked at, or another check says why. */
  look(): Promise<readonly Finding[]>;
  /** What is said where it fails or does not end in time. */
  readonly otherwise: { readonly is: 'warn' | 'fault'; readonly fix: string };
};

/**
 * The checks of this installation, and what ends what they have opened. Those of one stage look at once; what hinders
 * others, as names that nobody resolves, comes behind them.
 */
export type CheckUp = { readonly stages: readonly (readonly Check[])[]; end(): Promise<unknown> };

type Named = Finding & { readonly name: string };

/** A check has so long; those that wait for another machine give up earlier. */
const deadlineMs = 10_000;

/** `doctor`: says of an installation what is well, what is not, and what to do. */
export function doctorCommand(checkUp: () => Promise<CheckUp>, terminal: Terminal, timer: Timer): Command {
  return {
    name: 'doctor',
    usage: 'doctor [--json]',
    summary: 'Says what of this installation is well, what is not, and what to do; changes nothing.',
    details:
      'Run it as the user of the server, with its settings: before the first start, after each change, when something is wrong.\nExit code 1 when there is a FAULT; a warning alone is 0.',
    run: async (args) => {
      const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
      const { stages, end } = await checkUp();
      const limit = createLimit(timer, deadlineMs);
      const findings: Named[] = [];
      for (const checks of stages) {
        findings.push(...(await Promise.all(checks.map((check) => findingsOf(check, limit)))).flat());
      }
      // What does not end, as a relay that never answers, is left to the end of the process.
      await limit.hold(end().catch(() => undefined));
      if (values.json === true) terminal.stdout(`${JSON.stringify({ checks: findings.map(asJson) }, undefined, 2)}\n`);
      else tell(findings, terminal);
      return findings.some(({ is }) => is === 'fault') ? 1 : 0;
    },
  };
}

async function findingsOf(
  { name, look, otherwise }: Check,
  limit: ReturnType<typeof createLimit>,
): Promise<readonly Named[]> {
  try {
    const findings = await limit.hold(look());
    if (findings !== late) return findings.map((finding) => ({ name, ...ofCertificate(finding) }));
    return [{ name, ...otherwise, found: `no answer within ${limit.ms / 1_000} s` }];
  } catch (fault) {
    return [
      { name, ...ofCertificate({ ...otherwise, found: fault instanceof Error ? fault.message : String(fault) }) },
    ];
  }
}

/** What is wrong with a certificate is mended there, or in what is asked of it: whoever shows it runs, and was reached. */
function ofCertificate(finding: Finding): Finding {
  if (finding.is === 'ok') return finding;
  const unknown = ofUnknownAuthority(finding.found);
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
const words = { ok: 'ok', warn: 'warn', fault: 'FAULT' } as const;

function asJson({ name, is, found, ...more }: Named) {
  return { name, status: is, found, ...more };
}

function tell(findings: readonly Named[], { stdout, stderr }: Terminal): void {
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const finding of findings) {
    const { name, is, found } = finding;
    const fix = 'fix' in finding ? ` -> ${finding.fix}` : '';
    stdout(`${words[is].padEnd(5)}  ${name.padEnd(width)}  ${`${found}${fix}`.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  }
  const count = (wanted: Finding['is']) => findings.filter(({ is }) => is === wanted).length;
  stderr(`${count('ok')} ok, ${count('warn')} warnings, ${count('fault')} faults\n`);
}
