/** Whether the certificates of Berth's servers and of kube-scheduler hold, and for how long. */
import { X509Certificate } from 'node:crypto';
import { failed, orOk, warning, type CheckFinding } from '../../../domain/records/check-finding.js';
import { leafProfiles } from '../../../servers/tls/certificate-profile.js';
import { liveCheck, type DoctorCheck } from '../doctor-check.js';
import { CERTIFICATES, CONTROLLER } from '../subject/installation.js';
import { text } from '../subject/object-fields.js';

/** Certificates are renewed after two thirds of their life; one that has less than this share left should have been. */
const DUE_SHARE = 0.3;
const DAY_MILLIS = 86_400_000;

const certificates = liveCheck('certificates', async ({ objects, namespace, live }) => {
  const secret = await objects.find('secrets', CERTIFICATES, namespace);
  const logs = `kubectl -n ${namespace} logs deploy/${CONTROLLER}`;
  if (secret === undefined)
    return [
      failed(
        `the Secret ${CERTIFICATES} does not exist: Berth has made no certificates yet`,
        `See whether a replica leads and may create Secrets: ${logs}`,
      ),
    ];
  const pem = (file: string): string => Buffer.from(text(secret, 'data', file), 'base64').toString();
  const remake = `Delete the Secret, and Berth makes new certificates: kubectl -n ${namespace} delete secret ${CERTIFICATES}`;
  const authority = readCertificate(pem('ca.crt'));
  if (authority === undefined)
    return [failed(`ca.crt of the Secret ${CERTIFICATES} is not a certificate`, remake)];
  const now = live.now();
  const findings: CheckFinding[] = [...lifeOf('ca.crt', authority, { now, mend: remake })];
  const ends = [end(authority)];
  for (const { file, names } of leafProfiles({ namespace, local: false })) {
    const name = `${file}.crt`;
    const leaf = readCertificate(pem(name));
    if (leaf === undefined) {
      findings.push(failed(`${name} of the Secret ${CERTIFICATES} is missing or not a certificate`, remake));
      continue;
    }
    ends.push(end(leaf));
    if (!leaf.checkIssued(authority) || !leaf.verify(authority.publicKey))
      findings.push(failed(`${name} was not issued by ca.crt`, remake));
    const missing = names.filter((each) => leaf.checkHost(each) === undefined);
    if (missing.length > 0) findings.push(failed(`${name} does not name ${missing.join(', ')}`, remake));
    findings.push(...lifeOf(name, leaf, { now, mend: `See why the leader does not renew it: ${logs}` }));
  }
  const first = new Date(Math.min(...ends)).toISOString().slice(0, 10);
  return orOk(findings, `${String(ends.length)} certificates; the first ends on ${first}`);
});

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function end({ validTo }: X509Certificate): number {
  return Date.parse(validTo);
}

function lifeOf(
  name: string,
  certificate: X509Certificate,
  { now, mend }: { readonly now: number; readonly mend: string },
): readonly CheckFinding[] {
  const from = Date.parse(certificate.validFrom);
  const to = end(certificate);
  if (now > to) return [failed(`${name} ended on ${certificate.validTo}`, mend)];
  if (now < from)
    return [failed(`${name} is not valid before ${certificate.validFrom}`, `${mend}; compare the clocks`)];
  const left = to - now;
  if (left >= DUE_SHARE * (to - from)) return [];
  return [
    warning(`${name} ends in ${(left / DAY_MILLIS).toFixed(0)} days, and should have been renewed`, mend),
  ];
}

export const CERTIFICATE_CHECKS: readonly DoctorCheck[] = [certificates];
