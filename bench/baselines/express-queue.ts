import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Queue, Worker } from 'bullmq';
import express from 'express';
import { createTransport } from 'nodemailer';
import PgBoss from 'pg-boss';
import { BenchFailed } from '../bench-failed.ts';
import { type BaselineOptions, reportPort } from './baseline-process.ts';
import { scopesOfToken } from './baseline-token.ts';

// A usual server that does not lose mails when its process ends: Express with BullMQ on Redis, or with pg-boss on PostgreSQL. It
// responds when the queue has the job. A worker in the same process passes mails to the pool of nodemailer. Nothing is
// encrypted. After a crash of the worker, the queue sends the mail again.

type Mail = { readonly id: string; readonly to: string; readonly subject: string; readonly message: string };

/** The common interface of both queues. */
type MailQueue = { add(mail: Mail): Promise<unknown>; work(send: (mail: Mail) => Promise<unknown>): Promise<unknown> };

/** SMTP connections in the pool, as many as our server opens by default. */
const connections = 20;
const workerConcurrency = 100;
const pollers = 8;

function createBullMqQueue(port: number): MailQueue {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = new Queue<Mail>('mail', { connection });
  return {
    add: (mail) => queue.add('mail', mail, { jobId: mail.id, removeOnComplete: true, attempts: 5 }),
    work: async (send) =>
      new Worker<Mail>('mail', async ({ data }) => void (await send(data)), {
        connection,
        concurrency: workerConcurrency,
      }),
  };
}

async function createPgBossQueue(url: string): Promise<MailQueue> {
  const boss = new PgBoss({ connectionString: url, max: 20 });
  boss.on('error', (fault) => process.stderr.write(`pg-boss: ${fault.message}\n`));
  await boss.start();
  await boss.createQueue('mail');
  return {
    add: (mail) => boss.send('mail', mail, { id: mail.id, retryLimit: 5 }),
    // A worker fetches one batch every 0.5 s, the shortest interval that pg-boss allows. Several workers run for that reason.
    work: async (send) => {
      for (let worker = 0; worker < pollers; worker += 1) {
        await boss.work<Mail>('mail', { batchSize: workerConcurrency, pollingIntervalSeconds: 0.5 }, async (jobs) => {
          await Promise.all(jobs.map(({ data }) => send(data)));
        });
      }
    },
  };
}

// Written by `startBaseline` in the parent.
const options = JSON.parse(process.argv[2] ?? '{}') as BaselineOptions;
const { database, redisPort, smtpPort } = options;
if (redisPort === undefined && (database === undefined || !('postgres' in database))) {
  throw new BenchFailed('expected a Redis port or a PostgreSQL URL for the queue');
}
const mailQueue =
  redisPort === undefined && database !== undefined && 'postgres' in database
    ? await createPgBossQueue(database.postgres)
    : createBullMqQueue(redisPort ?? 0);
if (smtpPort !== undefined) {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    secure: false,
    ignoreTLS: true,
    pool: true,
    maxConnections: connections,
    maxMessages: 1_000,
  });
  await mailQueue.work(({ to, subject, message: text }) =>
    transport.sendMail({ from: 'no-reply@localhost', to, subject, text }),
  );
}

const app = express();
app.disable('x-powered-by');
app.use(express.json({ limit: '64kb' }));
app.post('/send', async (request, response) => {
  try {
    if (!scopesOfToken(request.headers.authorization, options.keys).includes('notifications:send')) {
      response.sendStatus(403);
      return;
    }
  } catch {
    response.sendStatus(401);
    return;
  }
  const { citizenId, subject, message } = request.body as Record<string, string>;
  const id = randomUUID();
  await mailQueue.add({ id, to: `${citizenId}@citizens.example`, subject: String(subject), message: String(message) });
  response.status(202).json({ id, citizenId, status: 'accepted', createdAt: new Date().toISOString() });
});

const server = createServer(app);
server.listen(0, '127.0.0.1', () => reportPort(server));
