/** A network that can be cut, closed and held up: a TCP proxy on loopback. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #isOpen = true;
  #withholds = false;

  /** Passes everything on to a port of this machine. */
  static async start(targetPort: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, targetPort);
  }

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => {
      if (this.#isOpen) this.#join({ client, upstream: connect(targetPort, '127.0.0.1') });
      else client.resetAndDestroy();
    });
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets every connection. */
  cut(): void {
    for (const { client, upstream } of this.#pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  }

  /** While it is closed, connections are reset. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (!isOpen) this.cut();
  }

  /** While it withholds, nothing that the server sends arrives, and nobody learns of it. */
  setWithholding(withholds: boolean): void {
    this.#withholds = withholds;
    for (const { upstream } of this.#pairs) {
      if (withholds) upstream.pause();
      else upstream.resume();
    }
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #join(pair: Pair): void {
    const { client, upstream } = pair;
    this.#pairs.add(pair);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => client.write(chunk));
    if (this.#withholds) upstream.pause();
    const end = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
  }
}
