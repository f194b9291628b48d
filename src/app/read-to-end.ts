/** Reads a descriptor to its end, whether or not reading from it blocks. */

/** How long to wait for a writer that is slower than we are, in milliseconds. */
const PAUSE = 10;
const CHUNK = 65_536;

/** What `readSync` does: fills the buffer from its start, and answers how many bytes, 0 at the end. */
type Read = (buffer: Uint8Array) => number;

/**
 * All bytes until the end. A parent process may hand over a standard input that does not block: then there is
 * nothing to read yet (EAGAIN), which is not the end.
 * @throws whatever else `read` throws.
 */
export function readToEnd(read: Read, pause: (milliseconds: number) => void = sleep): Buffer {
  const chunks: Buffer[] = [];
  const buffer = new Uint8Array(CHUNK);
  for (;;) {
    const count = attempt(read, buffer);
    if (count === 0) return Buffer.concat(chunks);
    if (count === undefined) pause(PAUSE);
    else chunks.push(Buffer.from(buffer.subarray(0, count)));
  }
}

/** undefined when there is nothing yet. */
function attempt(read: Read, buffer: Uint8Array): number | undefined {
  try {
    return read(buffer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return undefined;
    // Windows tells the end of a pipe so.
    if (code === 'EOF') return 0;
    throw error;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
