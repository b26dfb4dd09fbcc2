import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';
import { type BaselineOptions, reportPort } from './baseline-process.ts';
import { scopesOfToken } from './baseline-token.ts';
import { createExpressMailer } from './express-mailer.ts';
import { openExpressStore } from './express-store.ts';

// A simple server: Express, jsonwebtoken, one statement and one commit per request, and plain files. It encrypts nothing, records
// no event and cannot repeat a response for the same Idempotency-Key.

// Written by `startBaseline` in the parent.
const options = JSON.parse(process.argv[2] ?? '{}') as BaselineOptions;
const store = options.database === undefined ? undefined : await openExpressStore(options.database);
const mail = options.smtpPort === undefined ? undefined : createExpressMailer(options.smtpPort);
const app = express();
app.disable('x-powered-by');
app.use(express.json({ limit: '64kb' }));

function requireScope(scope: string) {
  return (request: Request, response: Response, next: NextFunction) => {
    try {
      if (scopesOfToken(request.headers.authorization, options.keys).includes(scope)) next();
      else response.sendStatus(403);
    } catch {
      response.sendStatus(401);
    }
  };
}

app.post('/verify', requireScope('identity:verify'), async (request, response) => {
  const { citizenId, givenName, familyName, birthDate } = request.body as Record<string, string>;
  const verified = (await store?.matchesClaims([citizenId, givenName, familyName, birthDate].map(String))) === true;
  response.json({ verificationId: randomUUID(), verified, checkedAt: new Date().toISOString() });
});

app.post('/send', requireScope('notifications:send'), async (request, response) => {
  const { citizenId, subject, message, reference } = request.body as Record<string, string>;
  const id = randomUUID();
  const createdAt = new Date().toISOString();
  await store?.insert([id, citizenId, subject, message, reference, createdAt].map(String));
  mail?.(`${citizenId}@citizens.example`, String(subject), String(message));
  response.status(202).json({ id, citizenId, status: 'accepted', createdAt });
});

app.get('/documents/:name', requireScope('documents:read'), (request, response) => {
  response.sendFile(basename(String(request.params['name'])), { root: options.files });
});

const server = createServer(app);
server.listen(0, '127.0.0.1', () => reportPort(server));
