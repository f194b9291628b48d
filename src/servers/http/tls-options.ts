/** TLS options of a server: its certificate, and which clients it accepts. */
import type { SecureVersion, TlsOptions as NodeTlsOptions } from 'node:tls';

/** PEM texts. Given again, whole, whenever one of them changes. */
export interface TlsMaterial {
  readonly key: string;
  /** The server's certificate, and those between it and the CA. */
  readonly cert: string;
  /** Whose client certificates are good: several CAs in one text while one takes over from another. */
  readonly clientCa?: string | undefined;
}

export interface TlsOptions extends TlsMaterial {
  /** Whether a client without a certificate of the CA is refused. Needs `clientCa`. */
  readonly requireClientCert?: boolean | undefined;
  /** Common names of the clients that are let in; all that have a good certificate when it is left out. */
  readonly clientNames?: readonly string[] | undefined;
  /** 1.3 unless it is given; all of Kubernetes' components speak it. */
  readonly minVersion?: Extract<SecureVersion, 'TLSv1.2' | 'TLSv1.3'> | undefined;
}

const HANDSHAKE_MILLIS = 3000;

/** As node:https takes it when the server is made. */
export function serverTlsOptions(options: TlsOptions): NodeTlsOptions {
  const { requireClientCert = false, clientCa } = options;
  if (requireClientCert && clientCa === undefined) {
    throw new Error('TLS: client certificates are required, but there is no client CA to check them with');
  }
  return {
    ...secureContextOptions(options, options),
    requestCert: requireClientCert,
    rejectUnauthorized: requireClientCert,
    handshakeTimeout: HANDSHAKE_MILLIS,
  };
}

/**
 * As `setSecureContext` takes it. Node keeps nothing from before: without the CA a client with a certificate that any
 * public CA signed would be let in from then on.
 */
export function secureContextOptions(
  { key, cert, clientCa }: TlsMaterial,
  { minVersion = 'TLSv1.3' }: Pick<TlsOptions, 'minVersion'>,
): Pick<NodeTlsOptions, 'key' | 'cert' | 'ca' | 'minVersion'> {
  return { key, cert, minVersion, ...(clientCa !== undefined && { ca: clientCa }) };
}
