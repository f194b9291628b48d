/** Reads stored certificates and keys: whether the CA can sign, and what a leaf says. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { CertificateRole, Validity } from './certificate-profile.js';
import type { CertificatePair } from './issue-certificate.js';
import type { StoredLeaf } from './renewal.js';

/** The stored CA cannot be used; the message has the reason and names the file. */
export class AuthorityError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'AuthorityError';
  }
}

/** A CA that can sign. */
export interface Authority extends CertificatePair, Validity {
  readonly x509: X509Certificate;
  readonly commonName: string;
}

/**
 * Reads the CA.
 * @throws AuthorityError when it is not the certificate of a CA with an RSA key, when the key is another's, or when it
 * does not hold at the time `now`.
 */
export function readAuthority(pair: CertificatePair, now: number): Authority {
  const x509 = certificateIn(pair.certificate);
  const key = keyIn(pair.key);
  if (x509 === undefined) throw new AuthorityError('ca.crt is not a certificate in PEM');
  if (key === undefined) throw new AuthorityError('ca.key is not a private key in PEM without a password');
  if (!x509.ca) throw new AuthorityError('ca.crt is not the certificate of a CA');
  if (key.asymmetricKeyType !== 'rsa') {
    throw new AuthorityError(`ca.key is of type ${key.asymmetricKeyType ?? 'unknown'}; it must be rsa`);
  }
  if (!x509.checkPrivateKey(key)) throw new AuthorityError('ca.key is not the key of ca.crt');
  const validity = validityOf(x509);
  if (now > validity.notAfter) throw new AuthorityError(`ca.crt has expired on ${x509.validTo}`);
  if (now < validity.notBefore) throw new AuthorityError(`ca.crt is not valid before ${x509.validFrom}`);
  return { ...pair, ...validity, x509, commonName: commonNameOf(x509) };
}

/** A CA that is to follow another: undefined when it could not sign. */
export function readSuccessor(
  { certificate, key }: { readonly [Half in keyof CertificatePair]: string | undefined },
  now: number,
): CertificatePair | undefined {
  if (certificate === undefined || key === undefined) return undefined;
  try {
    readAuthority({ certificate, key }, now);
    return { certificate, key };
  } catch {
    return undefined;
  }
}

/** When the first certificate of the text holds; undefined when there is none. */
export function readValidity(pem: string): Validity | undefined {
  const x509 = certificateIn(pem);
  return x509 === undefined ? undefined : validityOf(x509);
}

/** What a stored leaf says. */
export function readLeaf(pair: CertificatePair | undefined, authority: Authority): StoredLeaf {
  if (pair === undefined) return 'missing';
  const x509 = certificateIn(pair.certificate);
  const key = keyIn(pair.key);
  if (x509 === undefined || key === undefined) return 'unreadable';
  return {
    ...validityOf(x509),
    commonName: commonNameOf(x509),
    names: namesOf(x509),
    role: roleOf(x509),
    isOfAuthority: x509.checkIssued(authority.x509) && x509.verify(authority.x509.publicKey),
    hasOwnKey: x509.checkPrivateKey(key),
  };
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function validityOf({ validFrom, validTo }: X509Certificate): Validity {
  return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}

function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
}

/** `DNS:a, IP Address:0:0:0:0:0:0:0:1` → `a`, `::1`. */
function namesOf({ subjectAltName }: X509Certificate): readonly string[] {
  const entries = subjectAltName === undefined ? [] : subjectAltName.split(', ');
  return entries.map((entry) => {
    const name = entry.replace(/^(DNS|IP Address):/, '');
    return name.includes(':') && entry.startsWith('IP') ? shortestAddress(name) : name;
  });
}

function shortestAddress(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** RFC 5280 §4.2.1.12: id-kp-serverAuth and id-kp-clientAuth. Node names the extended uses `keyUsage`. */
const ROLES: Readonly<Record<string, CertificateRole>> = {
  '1.3.6.1.5.5.7.3.1': 'server',
  '1.3.6.1.5.5.7.3.2': 'client',
};

function roleOf({ keyUsage }: X509Certificate): CertificateRole | undefined {
  const [only, ...others] = keyUsage;
  return only === undefined || others.length > 0 ? undefined : ROLES[only];
}
