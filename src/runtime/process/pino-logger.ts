/** Log lines as JSON, one object a line: level, time, message, and the fields. */
import { pino, stdSerializers, type DestinationStream, type Logger as Pino } from 'pino';
import type { Clock } from '../../ports/clock.js';
import type { LogFields, Logger } from '../../ports/logger.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface PinoLoggerOptions {
  /** The least that is written. */
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Standard output, unless another is given. */
  readonly destination?: DestinationStream | undefined;
}

/** Fields that never reach a log line, even if they are passed by mistake. */
const SECRET_FIELDS = ['authorization', 'password', 'privateKey', 'token', 'userData'];
const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/** A logger that writes with pino. */
export function pinoLogger({ level, clock, destination }: PinoLoggerOptions): Logger {
  const options = {
    level,
    base: null,
    messageKey: 'message',
    errorKey: 'error',
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: stdSerializers.err },
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
  };
  return wrap(destination === undefined ? pino(options) : pino(options, destination));
}

function wrap(logger: Pino): Logger {
  return {
    debug: (message, fields: LogFields = {}) => {
      logger.debug(fields, message);
    },
    info: (message, fields: LogFields = {}) => {
      logger.info(fields, message);
    },
    warn: (message, fields: LogFields = {}) => {
      logger.warn(fields, message);
    },
    error: (message, fields: LogFields = {}) => {
      logger.error(fields, message);
    },
    child: (fields) => wrap(logger.child(fields)),
  };
}
