/** One thing that must hold before requests may come. */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';

export interface Probe {
  readonly name: string;
  readonly ready: boolean;
  /** What is missing. */
  readonly detail?: string | undefined;
}

interface CertificateProbeOptions {
  /** What the servers have now: file name → PEM; undefined before the first was read. */
  readonly files: () => ReadonlyMap<string, string> | undefined;
  /** Files of certificates that must be there: `webhook.crt`, … */
  readonly certificates: readonly string[];
  readonly clock: Clock;
}

/** Ready when each is there and holds now; names those that do not. */
export function certificateProbe({ files, certificates, clock }: CertificateProbeOptions): () => Probe {
  return () => {
    const stored = files();
    const wrong = certificates.flatMap((file) => {
      const fault = faultOf(stored?.get(file), clock.now());
      return fault === undefined ? [] : [`${file} ${fault}`];
    });
    if (wrong.length === 0) return { name: 'certificates', ready: true };
    return { name: 'certificates', ready: false, detail: wrong.join(', ') };
  };
}

function faultOf(pem: string | undefined, now: number): string | undefined {
  if (pem === undefined) return 'is missing';
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    if (now > Date.parse(validTo)) return `has expired on ${validTo}`;
    return now < Date.parse(validFrom) ? `is not valid before ${validFrom}` : undefined;
  } catch {
    return 'is not a certificate in PEM';
  }
}

interface SyncView {
  isSynced(...kinds: readonly ObservedKind[]): boolean;
}

/** Ready when the first list of each kind has been taken in; names those that were not. */
export function syncProbe(cluster: SyncView, kinds: readonly ObservedKind[]): () => Probe {
  return () => {
    const missing = kinds.filter((kind) => !cluster.isSynced(kind));
    if (missing.length === 0) return { name: 'synced', ready: true };
    return { name: 'synced', ready: false, detail: `not synced yet: ${missing.join(', ')}` };
  };
}
