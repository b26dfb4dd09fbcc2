import pino from 'pino';
import type { Refusal } from '../kernel/refusal.ts';
import { type LogDestination, openLogDestination } from './log-destination.ts';

/** The log fields of one request: the pattern of its route, never the URL; the client's id, never a citizen's. */
export type RequestLine = {
  readonly instance: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly problem?: string | undefined;
  readonly clientId?: string | undefined;
  /** The trace of the caller (`traceIdOf`). */
  readonly traceId?: string | undefined;
  readonly durationMs: number;
};

type LogFields = Readonly<Record<string, string | number | boolean>>;

/** The log: JSON lines that contain the fields named here and no others, so that no claim, token or message can reach it. */
export type Log = {
  request(line: RequestLine): void;
  refused(refusal: Refusal, instance: string, traceId?: string): void;
  /** A fault of the program or the machine. Its message and stack are logged, so they must hold no personal data. */
  fault(where: string, fault: unknown, instance?: string): void;
  notice(message: string, fields?: LogFields): void;
  /** Something outside of this program prevents its work, and the operator has to act. */
  warning(message: string, fields?: LogFields): void;
  /** Writes whole lines that another thread has formatted. */
  lines(text: string): void;
};

/** Opens a log of the given pino level, on standard error unless a test or a thread passes another destination. */
export function createLog(level: string, givenDestination?: LogDestination): Log {
  const destination =
    givenDestination ?? openLogDestination(2, (times) => logger.error({ where: 'log', times }, 'log lines were lost'));
  const logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    request: (line) => logger.info(line, 'request'),
    refused: (refusal, instance, traceId) => logger.info({ instance, problem: refusal.slug, traceId }, 'refused'),
    fault: (where, fault, instance) => logger.error({ where, instance, fault: describe(fault) }, 'fault'),
    notice: (message, fields) => logger.info(fields ?? {}, message),
    warning: (message, fields) => logger.warn(fields ?? {}, message),
    lines: (text) => destination.write(text),
  };
}

function describe(fault: unknown): { name: string; message: string; stack?: string | undefined; cause?: string } {
  // The value could be personal data.
  if (!(fault instanceof Error)) return { name: 'NotAnError', message: typeof fault };
  const cause = fault.cause instanceof Error ? { cause: `${fault.cause.name}: ${fault.cause.message}` } : {};
  return { name: fault.name, message: fault.message, stack: fault.stack, ...cause };
}
