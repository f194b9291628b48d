import { FailureMemory } from '../../../src/runtime/concurrency/failure-memory.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';

describe('failures that a process has logged', () => {
  test('are its errors and its warnings with an error, also of child loggers, for ten minutes', async () => {
    const clock = new VirtualClock();
    const memory = new FailureMemory(clock);
    const { logger: inner, lines } = recordingLogger();
    const logger = memory.listening(inner);
    logger.warn('decided', { action: 'Refuse' });
    logger.info('leading');
    expect(memory.recent()).toBeUndefined();
    logger
      .child({ component: 'aws' })
      .warn('Failed to provision part of a batch', { error: new Error('no answer') });
    await clock.advance(300_000);
    logger.error('planning failed');
    expect(memory.recent()).toEqual({ count: 2, last: { at: clock.now(), text: 'planning failed' } });
    await clock.advance(300_000);
    expect(memory.recent()).toMatchObject({ count: 1 });
    await clock.advance(300_000);
    expect(memory.recent()).toBeUndefined();
    expect(lines).toHaveLength(4);
  });

  test('give the reason why, where the error does', () => {
    const memory = new FailureMemory(new VirtualClock());
    memory
      .listening(recordingLogger().logger)
      .warn('Failed to renew the Lease', { error: new Error('no answer') });
    expect(memory.recent()?.last.text).toBe('Failed to renew the Lease: no answer');
  });
});
