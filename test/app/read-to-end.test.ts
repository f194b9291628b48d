/** Reading standard input. */
import { readToEnd } from '../../src/app/process-io.js';

/** A descriptor that answers with these chunks, error codes and, after them, its end. */
function descriptor(...answers: readonly (string | Error)[]): (buffer: Uint8Array) => number {
  const left = [...answers];
  return (buffer) => {
    const answer = left.shift() ?? '';
    if (answer instanceof Error) throw answer;
    return Buffer.from(answer, 'latin1').copy(buffer);
  };
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('readToEnd', () => {
  test('joins what comes in pieces, even when a character is cut in two', () => {
    expect(readToEnd(descriptor('gr', '\u00c3', '\u00bcn')).toString()).toBe('grün');
  });

  test('waits while there is nothing yet', () => {
    const pauses: number[] = [];
    const read = descriptor(failure('EAGAIN'), 'a', failure('EAGAIN'), 'b');
    expect(readToEnd(read, (milliseconds) => pauses.push(milliseconds)).toString()).toBe('ab');
    expect(pauses).toHaveLength(2);
  });

  test('takes EOF for the end, and tells other failures', () => {
    expect(readToEnd(descriptor('a', failure('EOF'), 'b')).toString()).toBe('a');
    expect(() => readToEnd(descriptor(failure('EISDIR')))).toThrow('EISDIR');
  });
});
