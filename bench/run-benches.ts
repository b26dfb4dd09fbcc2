import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCompare } from './bench-compare.ts';
import { benchDelivery } from './bench-delivery.ts';
import { benchHttp, httpWorks } from './bench-http.ts';
import { benchImport } from './bench-import.ts';
import { benchLargeDocument } from './bench-large-document.ts';
import { benchLedger } from './bench-ledger.ts';
import { benchQueues } from './bench-queues.ts';
import { benchQuota } from './bench-quota.ts';
import { benchStart } from './bench-start.ts';
import { benchTokens } from './bench-tokens.ts';
import { type Ground, layGround } from './ground.ts';
import type { Plan } from './measure.ts';
import { machine, table } from './report.ts';
import type { Result } from './result.ts';

// What `npm run bench` runs: all benches, or those whose names begin with one of the words given. About ten minutes,
// with --seconds so many for each cell (default 2.5), and BENCH_CITIZENS in the register (default 100,000). Figures on standard output, what is going on on standard error.

const works = [
  'compare',
  'tokens',
  'start',
  'import',
  ...httpWorks,
  'document-1g',
  'deliver',
  'queues',
  'ledger',
  'quota',
] as const;
const fewRounds = 3;
const longestSeconds = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2.5' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
});

const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const wanted = works.filter((work) => positionals.length === 0 || positionals.some((word) => work.startsWith(word)));
if (!(seconds > 0 && seconds <= longestSeconds) || !(rounds >= 1 && rounds <= 100) || wanted.length === 0) {
  process.stderr.write(`npm run bench -- [${works.join('|')}]… [--seconds N] [--rounds N] [--json FILE]\n`);
  process.exit(2);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function runAll(ground: Ground): Promise<Result[]> {
  const plan: Plan = { rounds, seconds };
  const few = Math.min(rounds, fewRounds);
  const http = httpWorks.filter((work) => wanted.includes(work));
  return [
    ...(wanted.includes('compare') ? benchCompare(rounds) : []),
    ...(wanted.includes('tokens') ? await benchTokens(few) : []),
    ...(wanted.includes('start') ? await benchStart(ground, rounds) : []),
    ...(wanted.includes('import') ? await benchImport(ground, few) : []),
    ...(http.length > 0 ? await benchHttp(ground, http, plan) : []),
    ...(wanted.includes('document-1g') ? await benchLargeDocument(ground) : []),
    ...(wanted.includes('deliver') ? await benchDelivery(ground, { rounds: few, seconds }) : []),
    ...(wanted.includes('queues') ? await benchQueues(ground, { rounds: few, seconds }) : []),
    ...(wanted.includes('ledger') ? await benchLedger(ground) : []),
    ...(wanted.includes('quota') ? await benchQuota(ground, few) : []),
  ];
}

const ground = await layGround(note);
try {
  const results = await runAll(ground);
  const where = machine(ground.postgres.version);
  const { cores, processor, node, sqlite, postgres, fdatasyncMs } = where;
  process.stdout.write(
    `${cores} cores (${processor}), node ${node}, SQLite ${sqlite}, PostgreSQL ${postgres}, fdatasync ${fdatasyncMs.toFixed(2)} ms; ${rounds} rounds of ${seconds} s, 32 connections\n\n${table(results)}\n`,
  );
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine: where, rounds, seconds, results }, null, 2)}\n`);
  }
} finally {
  await ground.stop();
}
