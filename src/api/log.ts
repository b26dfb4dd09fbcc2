import pino from 'pino';
import type { Refusal } from '../kernel/refusal.ts';
import { createLogWriter, type LogWriter } from './log-writer.ts';

/** One request as the log knows it: the route's pattern, never the URL; the client's id, never a citizen's. */
export type RequestLine = {
  readonly instance: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly problem?: string | undefined;
  readonly clientId?: string | undefined;
  readonly durationMs: number;
};

/** The log: JSON lines, with fields named here and no others, so that no claim, token or message can reach it. */
export type Log = {
  request(line: RequestLine): void;
  /** A request refused before there was a route. */
  refused(refusal: Refusal, instance: string): void;
  /** A fault of the program or machine; its message and stack are logged, it must hold no personal data. */
  fault(where: string, fault: unknown, instance?: string): void;
  notice(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  /** Writes what the log of another thread has made: whole lines. */
  lines(text: string): void;
};

/** The log on standard error, or to the given stream in tests. */
export function createLog(level: string, given?: LogWriter): Log {
  const destination = given ?? createLogWriter(2, (times) => logger.error({ where: 'log', times }, 'lines were lost'));
  const logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const logsRequests = logger.isLevelEnabled('info');
  return {
    // The line of a request is written as pino writes it, at a third of the cost: its fields are known, none needs a look.
    request: (line) => {
      if (!logsRequests) return;
      const time = new Date().toISOString();
      destination.write(`${JSON.stringify({ level: 'info', time, ...line, msg: 'request' })}\n`);
    },
    refused: (refusal, instance) => logger.info({ instance, problem: refusal.slug }, 'refused'),
    fault: (where, fault, instance) => logger.error({ where, instance, fault: describe(fault) }, 'fault'),
    notice: (message, fields) => logger.info(fields ?? {}, message),
    lines: (text) => void destination.write(text),
  };
}

function describe(fault: unknown): { name: string; message: string; stack?: string | undefined; cause?: string } {
  if (!(fault instanceof Error)) return { name: 'NotAnError', message: typeof fault };
  const cause = fault.cause instanceof Error ? { cause: `${fault.cause.name}: ${fault.cause.message}` } : {};
  return { name: fault.name, message: fault.message, stack: fault.stack, ...cause };
}
