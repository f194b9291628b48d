/** The server's side of one watch. */
import type { ServerResponse } from 'node:http';

export class FakeWatch {
  readonly #response: ServerResponse;
  /** Bytes until the connection breaks. */
  #left: number;

  constructor(response: ServerResponse, cutAfter = Infinity) {
    this.#response = response;
    this.#left = cutAfter;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded && this.#left > 0;
  }

  line(event: unknown): void {
    this.raw(Buffer.from(`${JSON.stringify(event)}\n`));
  }

  /** Sends bytes as they are, up to where the connection is to break. */
  raw(bytes: Uint8Array): void {
    if (!this.isOpen) return;
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    this.#response.write(part, () => {
      if (this.#left <= 0) this.#response.socket?.destroy();
    });
  }

  /** Ends it as the server does when its time is over. */
  end(): void {
    this.#response.end();
  }

  /** Breaks the connection. */
  reset(): void {
    this.#response.socket?.resetAndDestroy();
  }
}
