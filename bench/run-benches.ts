import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchBatches } from './bench-batches.ts';
import { benchCompare } from './bench-compare.ts';
import { benchDelivery } from './bench-delivery.ts';
import { type BenchEnvironment, prepareBenchEnvironment } from './bench-environment.ts';
import { benchHttp, httpBenches } from './bench-http.ts';
import { benchImport } from './bench-import.ts';
import { benchLargeDocument } from './bench-large-document.ts';
import { benchLedger } from './bench-ledger.ts';
import { benchPresentations } from './bench-presentations.ts';
import { benchQueues } from './bench-queues.ts';
import { benchQuota } from './bench-quota.ts';
import { benchStart } from './bench-start.ts';
import { benchTokens } from './bench-tokens.ts';
import { benchWallet } from './bench-wallet.ts';
import type { BenchPlan } from './measure.ts';
import { describeMachine, resultsTable } from './report.ts';
import type { BenchResult } from './result.ts';

// `npm run bench` runs all benches, or those whose names start with one of the arguments. It takes about ten minutes.
// `--seconds` sets the duration of each round (default 2.5), BENCH_CITIZENS the size of the register (default 100,000).
// Figures go to standard output, progress to standard error.

const benches = [
  'compare',
  'tokens',
  'wallet',
  'start',
  'import',
  ...httpBenches,
  'document-1g',
  'deliver',
  'queues',
  'batches',
  'ledger',
  'quota',
] as const;
const maxRoundsOfSlowBenches = 3;
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
const selectedBenches = benches.filter(
  (work) => positionals.length === 0 || positionals.some((prefix) => work.startsWith(prefix)),
);
if (!(seconds > 0 && seconds <= longestSeconds) || !(rounds >= 1 && rounds <= 100) || selectedBenches.length === 0) {
  process.stderr.write(`npm run bench -- [${benches.join('|')}]… [--seconds N] [--rounds N] [--json FILE]\n`);
  process.exit(2);
}

function logProgress(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function runBenches(environment: BenchEnvironment): Promise<BenchResult[]> {
  const plan: BenchPlan = { rounds, seconds };
  const fewRounds = Math.min(rounds, maxRoundsOfSlowBenches);
  const http = httpBenches.filter((work) => selectedBenches.includes(work));
  return [
    ...(selectedBenches.includes('compare') ? benchCompare(rounds) : []),
    ...(selectedBenches.includes('tokens') ? await benchTokens(fewRounds) : []),
    ...(selectedBenches.includes('wallet')
      ? [...(await benchWallet(rounds)), ...(await benchPresentations(environment))]
      : []),
    ...(selectedBenches.includes('start') ? await benchStart(environment, rounds) : []),
    ...(selectedBenches.includes('import') ? await benchImport(environment, fewRounds) : []),
    ...(http.length > 0 ? await benchHttp(environment, http, plan) : []),
    ...(selectedBenches.includes('document-1g') ? await benchLargeDocument(environment) : []),
    ...(selectedBenches.includes('deliver') ? await benchDelivery(environment, { rounds: fewRounds, seconds }) : []),
    ...(selectedBenches.includes('queues') ? await benchQueues(environment, { rounds: fewRounds, seconds }) : []),
    ...(selectedBenches.includes('batches') ? await benchBatches(environment) : []),
    ...(selectedBenches.includes('ledger') ? await benchLedger(environment) : []),
    ...(selectedBenches.includes('quota') ? await benchQuota(environment, fewRounds) : []),
  ];
}

const environment = await prepareBenchEnvironment(logProgress);
try {
  const results = await runBenches(environment);
  const machine = describeMachine(environment.postgres.version);
  const { cores, processor, node, sqlite, postgres, fdatasyncMs } = machine;
  process.stdout.write(
    `${cores} cores (${processor}), node ${node}, SQLite ${sqlite}, PostgreSQL ${postgres}, fdatasync ${fdatasyncMs.toFixed(2)} ms; ${rounds} rounds of ${seconds} s, 32 connections\n\n${resultsTable(results)}\n`,
  );
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine, rounds, seconds, results }, null, 2)}\n`);
  }
} finally {
  await environment.stop();
}
