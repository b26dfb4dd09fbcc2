import { createTransport } from 'nodemailer';

/** Hands a mail over to nodemailer's pool and forgets it: what waits in memory is lost with the process. */
export type ExpressMailer = (to: string, subject: string, text: string) => void;

/** As many connections as our server opens by default. */
const connections = 16;

export function createExpressMailer(port: number): ExpressMailer {
  const transport = createTransport({
    ...{ host: '127.0.0.1', port, secure: false, ignoreTLS: true },
    ...{ pool: true, maxConnections: connections, maxMessages: 1_000 },
  });
  return (to, subject, text) => {
    transport.sendMail({ from: 'no-reply@localhost', to, subject, text }).catch((fault: unknown) => {
      process.stderr.write(`a mail of the baseline was not taken: ${String(fault)}\n`);
    });
  };
}
