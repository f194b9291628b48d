/**
 * Keeps Berth's certificates in their Secret and the CA in the webhook configurations, on the leader; and hands them to
 * this replica's servers, on every replica. A CA that is gone from the Secret is restored from memory: kube-scheduler's
 * configuration trusts no other. Where it is in no memory, either, a new one is made, and that is reported loudly.
 */
import type { CertificateStore, StoredCertificates } from '../../ports/certificate-store.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import { isSameMap } from '../../domain/values/same.js';
import type { Clock } from '../../ports/clock.js';
import type { EventWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { X509Certificate } from 'node:crypto';

/** PEM texts by file name: `ca.crt`, `webhook.crt`, `webhook.key`, … */
export type CertificateFiles = ReadonlyMap<string, string>;

export interface KeepCertificatesRequest {
  readonly stored: CertificateFiles;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly namespace: string;
  readonly local: boolean;
  readonly isPublished: boolean;
}

/** Brings a set of certificates up to date: servers/tls does, which controllers do not know. */
export type KeepCertificates = (request: KeepCertificatesRequest) => Promise<{
  readonly files: CertificateFiles;
  readonly isChanged: boolean;
  readonly step: string;
  readonly made: readonly string[];
}>;

export interface CertificatesControllerOptions {
  readonly store: CertificateStore;
  readonly events: Pick<EventWriter, 'createEvent'>;
  readonly keep: KeepCertificates;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Where the services are that the certificates name. */
  readonly namespace: string;
  /** Whether the servers are also reached as this machine itself. */
  readonly local?: boolean | undefined;
  readonly isLeader: () => boolean;
  /** Called with the first certificates, and whenever they change. */
  readonly onMaterial: (files: CertificateFiles) => void;
}

/** The bundle of CAs. */
const AUTHORITY_FILE = 'ca.crt';
const AUTHORITY_KEY_FILE = 'ca.key';
const LOST =
  'the CA was lost with its Secret, and Berth made a new one; kube-scheduler still trusts the old one: copy ca.crt, scheduler.crt and scheduler.key of Secret berth-certificates into its configuration and restart it, until then it does not reach the extender';
const SECOND = 1000;
/** The webhook configurations may be applied again at any time, without a CA. */
const EVERY_MILLIS = 60 * SECOND;
/** Until there are certificates. */
const EVERY_MILLIS_AT_FIRST = 2 * SECOND;
const TURN_MILLIS = 30 * SECOND;

export class CertificatesController {
  readonly #options: CertificatesControllerOptions;
  #handed: CertificateFiles | undefined;
  #wasLeader = false;
  #failures = 0;
  #nextAt = 0;

  constructor(options: CertificatesControllerOptions) {
    this.#options = options;
    this.#nextAt = options.clock.monotonic();
  }

  /** On every replica, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      if (this.#isDue()) await this.#turn(signal);
      await clock.sleep(SECOND, signal).catch(() => undefined);
    }
  }

  /**
   * Looks after the certificates once: makes, renews, stores and publishes them when this replica leads; hands them on.
   * @throws PortError; AuthorityError of servers/tls when the stored CA cannot be used.
   */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { store, isLeader } = this.#options;
    const stored = await store.readCertificates(signal);
    try {
      const latest = isLeader() ? await this.#lookAfter(stored, signal) : stored;
      this.#hand(latest);
    } catch (error) {
      // What is there may well do, even if it cannot be renewed.
      this.#hand(stored);
      throw error;
    }
  }

  /** A new leader does not wait for its turn. */
  #isDue(): boolean {
    const { clock, isLeader } = this.#options;
    const becameLeader = isLeader() && !this.#wasLeader;
    this.#wasLeader = isLeader();
    return becameLeader || clock.monotonic() >= this.#nextAt;
  }

  /** Never rejects. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { clock, logger, random } = this.#options;
    const operation = 'reconcile certificates';
    try {
      await withDeadline({ clock, millis: TURN_MILLIS, signal, operation }, (own) => this.reconcile(own));
      this.#failures = 0;
      const pause = this.#handed === undefined ? EVERY_MILLIS_AT_FIRST : EVERY_MILLIS;
      this.#nextAt = clock.monotonic() + pause;
    } catch (error) {
      if (signal.aborted) return;
      this.#failures++;
      const isRace = hasCode(error, 'Conflict', 'AlreadyExists');
      if (isRace) logger.info('Another replica wrote the certificates', { error });
      else logger.error('Failed to reconcile certificates', { error });
      const attempt = this.#failures;
      const wait = backoffMillis({ attempt, baseMillis: SECOND, maxMillis: EVERY_MILLIS, random });
      this.#nextAt = clock.monotonic() + wait;
    }
  }

  async #lookAfter(
    before: StoredCertificates | undefined,
    signal: AbortSignal,
  ): Promise<StoredCertificates | undefined> {
    const { store, keep, clock, namespace, local = false, logger } = this.#options;
    const { stored, isRestored, isLost } = await this.#known(before, signal);
    const isPublished = await this.#isPublished(stored, signal);
    const { files, isChanged, step, made } = await keep({
      stored,
      now: clock.now(),
      namespace,
      local,
      isPublished,
    });
    if (!isChanged && !isRestored) return before;
    const after = await store.writeCertificates(files, before, signal);
    if (isChanged) logger.info('Renewed certificates', { made, authority: step });
    else logger.warn('Restored the Secret with certificates, which was gone');
    if (isLost) await this.#alarm(signal);
    await this.#publish(after.files, signal);
    return after;
  }

  /** What is stored; what this process remembers of it where it is gone; or nothing, with or without a CA before. */
  async #known(
    before: StoredCertificates | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly stored: CertificateFiles; readonly isRestored: boolean; readonly isLost: boolean }> {
    const files = before?.files ?? new Map<string, string>();
    const isThere = files.has(AUTHORITY_FILE) || files.has(AUTHORITY_KEY_FILE);
    if (isThere) return { stored: files, isRestored: false, isLost: false };
    if (this.#handed !== undefined) return { stored: this.#handed, isRestored: true, isLost: false };
    return { stored: files, isRestored: false, isLost: await this.#wasPublished(signal) };
  }

  /** Whether the API server was to trust a CA before: proof that there was one. */
  async #wasPublished(signal: AbortSignal): Promise<boolean> {
    const { store, logger } = this.#options;
    try {
      return (await store.publishedAuthority(signal)) !== undefined;
    } catch (error) {
      logger.warn('Failed to read the published CA', { error });
      return false;
    }
  }

  async #alarm(signal: AbortSignal): Promise<void> {
    const { clock, events, logger, metrics, namespace } = this.#options;
    metrics.authoritiesLost.inc();
    logger.error(LOST);
    const time = clock.now();
    const event = {
      name: `${namespace}.ca-${time.toString(16)}`,
      regarding: { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace, uid: '' },
      type: 'Warning' as const,
      reason: 'AuthorityLost' satisfies EventReason<'Warning', 'Namespace'>,
      action: 'Replace',
      note: LOST,
      ...{ time, count: 1 },
    };
    try {
      await events.createEvent(event, signal);
    } catch (error) {
      logger.warn('Failed to write event', { error });
    }
  }

  /**
   * Whether what is stored is known everywhere, as it must be before the CA may change; it may not have been, if we died
   * in between. Certificates are renewed even so.
   */
  async #isPublished(stored: CertificateFiles, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#publish(stored, signal);
    } catch (error) {
      this.#options.logger.error('Failed to publish the CA', { error });
      return false;
    }
  }

  /** Answers whether it did: a replica that has lost the lead must not put an old bundle over a new one. */
  async #publish(files: CertificateFiles, signal: AbortSignal): Promise<boolean> {
    const { store, isLeader } = this.#options;
    const bundle = files.get(AUTHORITY_FILE);
    if (bundle === undefined || !isLeader()) return false;
    await store.publishAuthority(bundle, signal);
    return true;
  }

  #hand(stored: StoredCertificates | undefined): void {
    const { metrics, logger, onMaterial } = this.#options;
    if (stored === undefined) return;
    const { files } = stored;
    if (this.#handed !== undefined && isSameMap(files, this.#handed)) return;
    for (const [name, time] of expiryTimes(files)) metrics.certificateExpiry.set({ name }, time / SECOND);
    try {
      onMaterial(files);
      this.#handed = files;
    } catch (error) {
      logger.error('Failed to load certificates', { error });
    }
  }
}

/** Name of the file without `.crt` → end of its first certificate, in milliseconds since 1970. What cannot be read is left out. */
function expiryTimes(files: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const [file, pem] of files) {
    if (!file.endsWith('.crt')) continue;
    const time = endOf(pem);
    if (time !== undefined) times.set(file.slice(0, -'.crt'.length), time);
  }
  return times;
}

function endOf(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
