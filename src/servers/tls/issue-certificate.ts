/**
 * Makes key pairs and signs certificates. X.509 is node-forge's; keys and signatures are node:crypto's and come from its
 * thread pool, since node-forge would hold up every request for as long as it computes.
 */
import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';
import {
  AUTHORITY_COMMON_NAME,
  isAddress,
  type CertificateRole,
  type LeafProfile,
  type Validity,
} from './certificate-profile.js';

/** A certificate and its private key (PKCS #8), both PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

interface Extension {
  readonly name: string;
  readonly [field: string]: unknown;
}

const makeKeyPair = promisify(generateKeyPair);
const signWith = promisify(sign);

/** Makes a CA that signs itself and may sign leaves, no further CAs. */
export async function issueAuthority(validity: Validity): Promise<CertificatePair> {
  const keys = await rsaKeyPair();
  const certificate = draft(keys, validity);
  const subject = [{ name: 'commonName', value: AUTHORITY_COMMON_NAME }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  setExtensions(certificate, [
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  return { certificate: await signedPem(certificate, keys.privateKey), key: keys.privateKey };
}

/** Makes a key and a certificate for it after the profile, signed by the CA. */
export async function issueLeaf(
  profile: LeafProfile,
  validity: Validity,
  authority: CertificatePair,
): Promise<CertificatePair> {
  const keys = await rsaKeyPair();
  const issuer = forge.pki.certificateFromPem(authority.certificate);
  const certificate = draft(keys, validity);
  certificate.setSubject([{ name: 'commonName', value: profile.commonName }]);
  certificate.setIssuer(issuer.subject.attributes);
  setExtensions(certificate, [
    { name: 'basicConstraints', critical: true, cA: false },
    ...usesOf(profile.role),
    { name: 'subjectKeyIdentifier' },
    {
      name: 'authorityKeyIdentifier',
      keyIdentifier: keyIdentifierOf(issuer),
    },
    ...alternativeNames(profile.names),
  ]);
  return { certificate: await signedPem(certificate, authority.key), key: keys.privateKey };
}

/** The identifier that the CA gives its own key (RFC 5280 §4.2.1.2), so that verifiers find it among several CAs. */
function keyIdentifierOf(issuer: forge.pki.Certificate): string {
  const own: object = issuer.getExtension('subjectKeyIdentifier') ?? {};
  return 'subjectKeyIdentifier' in own && typeof own.subjectKeyIdentifier === 'string'
    ? forge.util.hexToBytes(own.subjectKeyIdentifier)
    : issuer.generateSubjectKeyIdentifier().getBytes();
}

function rsaKeyPair(): Promise<KeyPair> {
  return makeKeyPair('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

function draft(keys: KeyPair, validity: Validity): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = serialNumber(randomBytes(16));
  certificate.validity.notBefore = new Date(validity.notBefore);
  certificate.validity.notAfter = new Date(validity.notAfter);
  return certificate;
}

function setExtensions(certificate: forge.pki.Certificate, extensions: readonly Extension[]): void {
  certificate.setExtensions(extensions.map((extension) => ({ ...extension })));
}

/** RSA key exchange of TLS 1.2 enciphers a key; a client only ever signs. */
function usesOf(role: CertificateRole): readonly Extension[] {
  const isServer = role === 'server';
  return [
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: isServer },
    { name: 'extKeyUsage', serverAuth: isServer, clientAuth: !isServer },
  ];
}

/** RFC 5280 §4.2.1.6: kinds of GeneralName. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

function alternativeNames(names: readonly string[]): readonly Extension[] {
  if (names.length === 0) return [];
  const altNames = names.map((name) =>
    isAddress(name) ? { type: IP_ADDRESS, ip: name } : { type: DNS_NAME, value: name },
  );
  return [{ name: 'subjectAltName', altNames }];
}

/** Signs as sha256WithRSAEncryption: what is signed is the first part of the certificate, in DER. */
async function signedPem(certificate: forge.pki.Certificate, key: string): Promise<string> {
  const algorithm = forge.pki.oids['sha256WithRSAEncryption'] ?? '';
  certificate.signatureOid = algorithm;
  certificate.siginfo.algorithmOid = algorithm;
  certificate.signature = '';
  const [toBeSigned] = forge.pki.certificateToAsn1(certificate).value;
  if (toBeSigned === undefined || typeof toBeSigned === 'string') {
    throw new Error(`certificate ${certificate.serialNumber} has no content to sign`);
  }
  const signature = await signWith(
    'sha256',
    Buffer.from(forge.asn1.toDer(toBeSigned).getBytes(), 'latin1'),
    key,
  );
  certificate.tbsCertificate = toBeSigned;
  certificate.signature = signature.toString('latin1');
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}

/**
 * Bytes, most significant first, as the hexadecimal content of a DER INTEGER: as short as it can be, and positive whatever
 * the first bit (RFC 5280 §4.1.2.2). Zero, which is not allowed there, becomes one.
 */
export function serialNumber(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes)
    .toString('hex')
    .replace(/^(00)+/, '');
  if (digits === '') return '01';
  return /^[89a-f]/.test(digits) ? `00${digits}` : digits;
}
