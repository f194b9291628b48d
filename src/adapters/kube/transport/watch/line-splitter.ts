/** Cuts a stream of bytes into lines, wherever the chunks begin and end. */

const NEWLINE = 0x0a;

/** Cut as bytes, since a newline is never a part of another UTF-8 character, and decoded when whole. */
export class LineSplitter {
  readonly #mostBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** More bytes than that without a newline are no line. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The lines that the chunk completes, without newlines; empty ones are left out. @throws Error, when a line is too long. */
  push(chunk: Uint8Array): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line.trim() !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#mostBytes)
      throw new Error(`a line is longer than ${String(this.#mostBytes)} bytes`);
    this.#parts.push(part);
  }

  #take(): string {
    const line = Buffer.concat(this.#parts, this.#bytes).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
