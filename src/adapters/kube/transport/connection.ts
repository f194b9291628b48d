/** The address of the API server, its CA and our credentials: what every request needs. */
import { PortError } from '../../../ports/port-error.js';

/** In PEM; equal text means that sockets may be shared. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name in the server's certificate, where it is not that of the address. */
  readonly serverName?: string | undefined;
  /** false only where a kubeconfig says insecure-skip-tls-verify. */
  readonly verify: boolean;
}

export interface KubeConnection {
  /** `https://host:port`, perhaps with a path prefix of the API. */
  readonly server: URL;
  readonly tls: TlsMaterial;
  /** `authorization`, `impersonate-user`. Never logged. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface KubeConnectionSource {
  /** What holds now; cheap when nothing is due to be read again. @throws PortError Unauthorized, Invalid */
  current(): Promise<KubeConnection>;
  /**
   * Reads everything again, because the server rejected the credentials; unless another caller has read it meanwhile.
   * @throws PortError Unauthorized, Invalid
   */
  reload(refused: KubeConnection): Promise<KubeConnection>;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the address. Credentials are never sent unencrypted: http:// is for this machine only.
 * @throws PortError Invalid
 */
export function parseServer(server: string): URL {
  if (!URL.canParse(server)) throw refusal(server, 'is not a URL');
  const url = new URL(server);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refusal(server, 'must begin with https://');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw refusal(
      server,
      'must begin with https://; http:// is allowed on 127.0.0.1, [::1] and localhost only',
    );
  return url;
}

function refusal(server: string, message: string): PortError {
  return new PortError('Invalid', {
    operation: 'connect',
    message: `the API server's address ${server} ${message}`,
  });
}
