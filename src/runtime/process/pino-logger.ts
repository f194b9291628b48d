/** Log lines as JSON, one object a line: level, time, message, and the fields. */
import { pino, stdSerializers, type DestinationStream, type Logger as Pino } from 'pino';
import type { Clock } from '../../ports/clock.js';
import type { LogFields, Logger } from '../../ports/logger.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The least that is written, by a logger and by its children, from now on. */
export interface LogThreshold {
  level: LogLevel;
}

export interface PinoLoggerOptions {
  /** May change at any time. */
  readonly threshold: LogThreshold;
  readonly clock: Clock;
  /** Standard output, unless another is given. */
  readonly destination?: DestinationStream | undefined;
}

/** Fields that never reach a log line, even if they are passed by mistake. */
const SECRET_FIELDS = ['authorization', 'password', 'privateKey', 'token', 'userData'];
const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/** A logger that writes with pino. */
export function pinoLogger({ threshold, clock, destination }: PinoLoggerOptions): Logger {
  const options = {
    // What is written is decided for each line: pino's children keep the level of their first moment.
    level: LOG_LEVELS[0],
    base: null,
    messageKey: 'message',
    errorKey: 'error',
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: stdSerializers.err },
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
  };
  return wrap(destination === undefined ? pino(options) : pino(options, destination), threshold);
}

function wrap(logger: Pino, threshold: LogThreshold): Logger {
  const writer =
    (level: LogLevel): Logger[LogLevel] =>
    (message, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold.level)) logger[level](fields, message);
    };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) => wrap(logger.child(fields), threshold),
  };
}
