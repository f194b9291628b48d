/** Policy ConfigMaps between the watch and the cluster: read by another thread, told in the order in which they came. */
import type { ReadPolicyConfigMap } from '../../../apis/berth/read-policy-config-map.js';
import { rootField } from '../../../apis/kubernetes/object/field.js';
import type { Decoded } from '../../../apis/kubernetes/object/finding.js';
import { readObjectMeta } from '../../../apis/kubernetes/object/object-meta.js';
import type { ClusterFeed } from '../../../ports/cluster-feed.js';
import type { Logger } from '../../../ports/logger.js';
import type { ReflectorSink } from '../transport/index.js';
import type { FindingLog } from './finding-log.js';

/** A ConfigMap of which nothing but its name is read. */
export interface UnreadPolicies {
  readonly name: string;
  readonly object: unknown;
}

export function unreadPolicies(object: unknown): Decoded<UnreadPolicies> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  return { value: meta && { name: meta.name, object }, findings: root.findings };
}

export interface PolicyReadingOptions {
  readonly feed: Pick<ClusterFeed, 'put' | 'delete'>;
  /** Called once what was listed has been read. */
  readonly synced: () => void;
  readonly readPolicies: ReadPolicyConfigMap;
  readonly findings: FindingLog;
  readonly logger: Logger;
}

/**
 * The kind counts as listed once what was listed is read. A ConfigMap that cannot be read in time is left as it was known
 * before: its pools keep what they were last told, and one that was never read freezes, as if it were not there.
 */
export class PolicyReading implements ReflectorSink<UnreadPolicies> {
  readonly #options: PolicyReadingOptions;
  /** What the sink has to be given, one after the other. */
  #told: Promise<void> = Promise.resolve();
  /** Name → the newest state of it, so that of many changes only the last is read. */
  readonly #newest = new Map<string, UnreadPolicies>();

  constructor(options: PolicyReadingOptions) {
    this.#options = options;
  }

  put(unread: UnreadPolicies): void {
    const { name } = unread;
    this.#newest.set(name, unread);
    this.#then(async () => {
      if (this.#newest.get(name) === unread) await this.#read(unread);
    });
  }

  delete(name: string, uid: string): void {
    this.#newest.delete(name);
    this.#then(() => {
      this.#options.feed.delete('PolicyConfigMap', name, uid);
    });
  }

  synced(): void {
    this.#then(() => {
      this.#options.synced();
    });
  }

  #then(step: () => Promise<void> | void): void {
    this.#told = this.#told.then(step).catch((error: unknown) => {
      this.#options.logger.error('Failed to process policies', { error });
    });
  }

  async #read(unread: UnreadPolicies): Promise<void> {
    const { feed, readPolicies, findings, logger } = this.#options;
    const { name, object } = unread;
    try {
      const { decoded } = await readPolicies(object);
      if (this.#newest.get(name) !== unread) return;
      findings.report(name, decoded.findings);
      if (decoded.value !== undefined) feed.put('PolicyConfigMap', decoded.value);
    } catch (error) {
      logger.error('Failed to read a policy ConfigMap; its last content stays active', {
        configMap: name,
        error,
      });
    }
  }
}
