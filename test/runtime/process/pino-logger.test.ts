import { PortError } from '../../../src/ports/port-error.js';
import type { Logger } from '../../../src/ports/logger.js';
import { pinoLogger, type LogLevel, type LogThreshold } from '../../../src/runtime/process/pino-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';

function written(level: LogLevel, write: (logger: Logger) => void): readonly unknown[] {
  const lines: unknown[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  write(
    pinoLogger({
      threshold: { level },
      clock: new VirtualClock({ start: Date.UTC(2026, 6, 1) }),
      destination,
    }),
  );
  return lines;
}

describe('pinoLogger', () => {
  test('writes level, time, message and fields, of the child and of the line', () => {
    const lines = written('info', (logger) => {
      logger.child({ controller: 'provisioning' }).info('launched', { nodeClaim: 'general-1' });
    });
    expect(lines).toEqual([
      {
        level: 'info',
        time: '2026-07-01T00:00:00.000Z',
        controller: 'provisioning',
        nodeClaim: 'general-1',
        message: 'launched',
      },
    ]);
  });

  test('follows a change of the level, its children too', () => {
    const lines: unknown[] = [];
    const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
    const threshold: LogThreshold = { level: 'info' };
    const child = pinoLogger({ threshold, clock: new VirtualClock(), destination }).child({});
    child.debug('before');
    threshold.level = 'debug';
    child.debug('after');
    threshold.level = 'error';
    child.warn('quiet');
    expect(lines).toMatchObject([{ level: 'debug', message: 'after' }]);
  });

  test('leaves out what is below its level', () => {
    const lines = written('warn', (logger) => {
      logger.debug('a');
      logger.info('b');
      logger.warn('c');
      logger.error('d');
    });
    expect(lines).toMatchObject([{ message: 'c' }, { message: 'd' }]);
  });

  test('tells of an error with its code and its cause', () => {
    const cause = new Error('socket hang up');
    const error = new PortError('Unavailable', { operation: 'list pods', message: 'no connection', cause });
    const [line] = written('info', (logger) => {
      logger.error('list failed', { error });
    });
    expect(line).toMatchObject({ error: { code: 'Unavailable', retryable: true } });
    expect(JSON.stringify(line)).toContain('socket hang up');
  });

  test('hides secrets that were passed by mistake', () => {
    const [line] = written('info', (logger) => {
      logger.info('asked', {
        token: 's3cret',
        request: { headers: { authorization: 's3cret' }, userData: 's3cret' },
      });
    });
    expect(JSON.stringify(line)).not.toContain('s3cret');
  });
});
