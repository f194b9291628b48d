/** Where everything of the demo listens: the usual ports where they are free, others where not. */
import { createServer } from 'node:net';

/** In this order, so that what people type most has its usual port. */
export const PREFERRED_PORTS = {
  dashboard: 8090,
  kubernetes: 6443,
  aws: 4566,
  webhooks: 9443,
  extender: 9444,
  metrics: 8080,
  health: 8081,
  time: 8082,
} as const;

export type DemoAddresses = Readonly<
  Record<keyof typeof PREFERRED_PORTS, { readonly host: string; readonly port: number }>
>;

const HOST = '127.0.0.1';

export async function demoAddresses(): Promise<DemoAddresses> {
  const taken: [string, { host: string; port: number }][] = [];
  for (const [name, port] of Object.entries(PREFERRED_PORTS))
    taken.push([name, { host: HOST, port: await freePort(port) }]);
  return Object.fromEntries(taken) as unknown as DemoAddresses;
}

/** The port itself if it is free, else any other. */
async function freePort(preferred: number, host = '127.0.0.1'): Promise<number> {
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
