import {
  parseServer,
  type KubeConnection,
  type KubeConnectionSource,
} from '../../src/adapters/kube/transport/connection.js';

/** One server and, if any, one token, both fixed. @throws PortError Invalid */
export function staticConnection(options: {
  readonly server: string;
  readonly token?: string | undefined;
  readonly ca?: string | undefined;
}): KubeConnectionSource {
  const connection: KubeConnection = {
    server: parseServer(options.server),
    tls: { ca: options.ca, verify: true },
    headers: options.token === undefined ? {} : { authorization: `Bearer ${options.token.trim()}` },
  };
  return {
    current: () => Promise.resolve(connection),
    reload: () => Promise.resolve(connection),
  };
}
