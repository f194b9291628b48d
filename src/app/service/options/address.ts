/** Addresses that servers listen on. */

export interface Address {
  /** Empty: every address of the host, IPv6 and IPv4. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/**
 * Reads `HOST:PORT`, `:PORT` (every address) or `[IPv6]:PORT`.
 * @throws RangeError saying what is expected.
 */
export function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3] ?? NaN);
  if (match === null || !(port <= 65_535)) throw new RangeError('expected HOST:PORT, such as 127.0.0.1:9444');
  return { host: match[1] ?? match[2] ?? '', port };
}

/** Whether only this machine can reach it. */
export function isLoopback({ host }: Address): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
