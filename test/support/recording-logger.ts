/** A logger that keeps its lines for a test to read. */
import type { LogFields, Logger } from '../../src/ports/logger.js';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

export interface RecordingLogger {
  readonly logger: Logger;
  readonly lines: readonly LogLine[];
}

/** A logger and what it was told. */
export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  return { logger: loggerOver(lines, {}), lines };
}

function loggerOver(lines: LogLine[], context: LogFields): Logger {
  const at =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ level, message, fields: { ...context, ...fields } });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerOver(lines, { ...context, ...fields }),
  };
}
