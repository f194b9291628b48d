/** How a process is told to end. */
import { EventEmitter } from 'node:events';
import { stopSignal, type Signalled } from '../../../src/app/service/stop-signal.js';

class FakeProcess extends EventEmitter implements Signalled {
  exit(code: number): never {
    throw new Error(`exit ${String(code)}`);
  }
}

describe('stopSignal', () => {
  test.each(['SIGTERM', 'SIGINT'])('is aborted by %s', (name) => {
    const process = new FakeProcess();
    const signal = stopSignal(process);
    expect(signal.aborted).toBe(false);
    process.emit(name);
    expect(signal.aborted).toBe(true);
  });

  test('a second one ends the process at once', () => {
    const process = new FakeProcess();
    stopSignal(process);
    process.emit('SIGTERM');
    expect(() => process.emit('SIGINT')).toThrow('exit 130');
  });
});
