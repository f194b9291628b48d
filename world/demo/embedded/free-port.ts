/** Ports of this machine that nobody listens on. */
import { createServer } from 'node:net';

/** The port itself if nobody has it, else any other. */
export async function freePort(preferred: number, host = '127.0.0.1'): Promise<number> {
  return (await bound(preferred, host)) ?? (await bound(0, host)) ?? preferred;
}

/** The port that could be listened on for a moment; undefined when it is taken. */
function bound(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : undefined);
      });
    });
  });
}
