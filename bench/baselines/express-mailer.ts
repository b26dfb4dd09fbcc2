import { createTransport } from 'nodemailer';

/** Passes a mail to the pool of nodemailer without waiting. Mails that wait in memory are lost when the process ends. */
export type ExpressMailer = (to: string, subject: string, text: string) => void;

/** SMTP connections in the pool. */
const connections = 16;

/** Creates a mailer for the SMTP server on this port of loopback. */
export function createExpressMailer(port: number): ExpressMailer {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    pool: true,
    maxConnections: connections,
    maxMessages: 1_000,
  });
  return (to, subject, text) => {
    transport.sendMail({ from: 'no-reply@localhost', to, subject, text }).catch((fault: unknown) => {
      process.stderr.write(`the baseline could not send a mail: ${String(fault)}\n`);
    });
  };
}
