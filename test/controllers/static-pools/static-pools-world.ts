/** A cluster in which the nodes of NodePools are only claims, and the process that keeps as many as their replicas or their minimum. */
import { setMaxListeners } from 'node:events';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import { StaticPoolsController } from '../../../src/controllers/static-pools/static-pools-controller.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { nodeClassDocument } from '../../support/builders/policy-document.js';
import { nodePoolDocument, putAccepted } from '../../support/builders/policy-status.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { SmallCloud, smallCloudCatalogue } from '../../support/small-cloud.js';
import { VirtualClock } from '../../support/virtual-clock.js';

export class StaticPoolsWorld {
  readonly clock = new VirtualClock();
  readonly kube = new InMemoryKube({ clock: this.clock });
  readonly cloud = new SmallCloud();
  readonly cluster = new Cluster();
  readonly told = recordedDecisions();
  readonly unavailableOfferings = new UnavailableOfferings();
  readonly #abort = new AbortController();

  /** The pool `static`, of so many replicas or with such a minimum. */
  constructor(spec: JsonObject, berth?: JsonObject) {
    this.pool(spec, berth);
    this.kube.objects.watch(this.cluster);
    setMaxListeners(0, this.#abort.signal);
    const { clock, cluster, unavailableOfferings } = this;
    const { recorder } = this.told;
    const { logger } = recordingLogger();
    const metrics = createMetrics();
    const common = { cluster, clock, recorder, logger, metrics };
    const catalogue = smallCloudCatalogue();
    const controller = new StaticPoolsController({
      ...common,
      kube: this.kube,
      random: seededRandom(7),
      catalogue: () => catalogue,
      resolved: new ResolvedNodeClasses({ cloud: this.cloud, clock }),
      unavailableOfferings,
      safeguards: new Safeguards(common),
    });
    void controller.run(this.#abort.signal);
  }

  stop(): void {
    this.#abort.abort();
  }

  /** The pool's document as it holds from now on. */
  pool(spec: JsonObject, berth?: JsonObject): void {
    const pool = { ...nodePoolDocument('static', spec), ...(berth && { berth }) };
    const documents = [pool, nodeClassDocument('default')];
    putAccepted(this.kube.objects, documents);
  }

  /** As `kubectl scale` does under a policy that says `policyReplicas`. */
  scale(replicas: number, policyReplicas: number): void {
    const status = this.kube.objects.list('PolicyStatus').find(({ kind }) => kind === 'NodePool');
    if (status === undefined) throw new Error('no PolicyStatus');
    this.kube.objects.put('PolicyStatus', { ...status, scale: { replicas, policyReplicas } });
  }

  /** Those that are not being deleted. */
  claims(): readonly NodeClaim[] {
    return this.kube.objects
      .list('NodeClaim')
      .filter(({ deletionTimestamp }) => deletionTimestamp === undefined);
  }

  async pass(millis = 1000): Promise<void> {
    await this.clock.advance(millis);
  }
}
