/**
 * A cluster without instances in which provisioning runs: policies as they were accepted, pods that kube-scheduler found
 * no node for, and the process that provides for them, which can die and be started again.
 */
import { setMaxListeners } from 'node:events';
import { InlinePlanner } from '../../support/inline-planner.js';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import { ProvisioningController } from '../../../src/controllers/provisioning/provisioning-controller.js';
import { ReservationsController } from '../../../src/controllers/reservations/reservations-controller.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import type { Planner } from '../../../src/ports/planner.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { nodeClassDocument } from '../../support/builders/policy-document.js';
import { nodePoolDocument, putAccepted } from '../../support/builders/policy-status.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { SmallCloud, smallCloudCatalogue } from '../../support/small-cloud.js';

/** One process that provides for pods. */
export interface Life {
  readonly cluster: Cluster;
  /** Ends it as SIGTERM does. */
  stop(): Promise<unknown>;
}

type LifeOverrides = Partial<ConstructorParameters<typeof ProvisioningController>[0]> & {
  /** What stands between the controller and its planner. */
  readonly aroundPlanner?: (planner: Planner) => Planner;
};

export class ProvisioningWorld {
  readonly clock = new VirtualClock();
  readonly kube: InMemoryKube;
  readonly cloud = new SmallCloud();
  readonly told = recordedDecisions();
  readonly log = recordingLogger();
  readonly metrics = createMetrics();
  readonly unavailableOfferings = new UnavailableOfferings();
  readonly #catalogue = smallCloudCatalogue();
  readonly #random = seededRandom(7);

  /** `writeMillis`: how long the API server takes for each write. */
  constructor(
    pools: readonly JsonObject[] = [nodePoolDocument('general')],
    { writeMillis }: { readonly writeMillis?: number } = {},
  ) {
    this.kube = new InMemoryKube({ clock: this.clock, delayMillis: writeMillis });
    this.policies([...pools, nodeClassDocument('default')]);
  }

  /** Documents that hold and have been accepted. */
  policies(documents: readonly JsonObject[]): void {
    putAccepted(this.kube.objects, documents);
  }

  pods(pods: readonly ObservedPod[]): void {
    for (const pod of pods) this.kube.objects.put('Pod', pod);
  }

  /** Starts a process; `kube` is what it writes through. */
  start(
    kube: KubeWriter = this.kube,
    { aroundPlanner = (planner) => planner, ...overrides }: LifeOverrides = {},
  ): Life {
    const cluster = new Cluster();
    const unwatch = this.kube.objects.watch(cluster);
    const abort = new AbortController();
    // All that is being written listens to it.
    setMaxListeners(0, abort.signal);
    const { clock, metrics } = this;
    const reservations = new ReservationsController({
      cluster,
      kube,
      clock,
      random: this.#random,
      recorder: this.told.recorder,
      logger: this.log.logger,
      metrics,
    });
    const controller = new ProvisioningController({
      cluster,
      kube,
      planner: aroundPlanner(new InlinePlanner({ cluster, clock: this.clock })),
      catalogue: () => this.#catalogue,
      resolved: new ResolvedNodeClasses({ cloud: this.cloud, clock: this.clock }),
      unavailableOfferings: this.unavailableOfferings,
      clock: this.clock,
      random: this.#random,
      recorder: this.told.recorder,
      logger: this.log.logger,
      metrics: this.metrics,
      ...overrides,
    });
    const running = Promise.all([controller.run(abort.signal), reservations.run(abort.signal)]);
    return {
      cluster,
      stop: () => {
        abort.abort();
        unwatch();
        return running;
      },
    };
  }

  claims(): readonly NodeClaim[] {
    return this.kube.objects.list('NodeClaim');
  }

  /** Target's name → uids of the pods that room is held for there. */
  held(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      this.kube.objects
        .list('Reservation')
        .map(({ target, entries }) => [target.name, entries.map(({ podUID }) => podUID ?? '')]),
    );
  }

  /** Uids of all pods that room is held for, sorted. */
  heldPods(): readonly string[] {
    return Object.values(this.held()).flat().sort();
  }
}
