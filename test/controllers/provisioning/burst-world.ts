/** Everything between a burst of pods and their being bound: provisioning, claims, instances, kubelets, a scheduler. */
import { setMaxListeners } from 'node:events';
import { InlinePlanner } from '../../support/inline-planner.js';
import { ClaimsInWork } from '../../../src/controllers/claims-in-work.js';
import { NodeClaimController } from '../../../src/controllers/node-claim/node-claim-controller.js';
import { NominationController } from '../../../src/controllers/reservations/nomination-controller.js';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import { ProvisioningController } from '../../../src/controllers/provisioning/provisioning-controller.js';
import { ReservationsController } from '../../../src/controllers/reservations/reservations-controller.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { acceptedNodeClass } from '../../../src/state/policies/accepted-node-class.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import {
  nodeClassDocument,
  policyConfigMap,
  policyDocument,
} from '../../support/builders/policy-document.js';
import { nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import type { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import type { InMemoryObjects } from '../../support/in-memory/in-memory-objects.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { smallCloudCatalogue } from '../../support/small-cloud.js';
import { ClaimWorld } from '../node-claim/claim-world.js';
import { schedule, type Extend } from './stand-in-scheduler.js';

const STEP_MILLIS = 250;

export class BurstWorld {
  readonly instances: ClaimWorld;
  readonly kube: InMemoryKube;
  readonly objects: InMemoryObjects;
  readonly told = recordedDecisions();
  /** With our extender, or without. */
  readonly #level: 'L0' | 'L2';

  /** `writeMillis`: how long the API server takes for each write. */
  constructor(level: 'L0' | 'L2', writeMillis = 0) {
    this.#level = level;
    this.instances = new ClaimWorld({ catalogue: smallCloudCatalogue(), writeMillis });
    this.kube = this.instances.kube;
    this.objects = this.kube.objects;
    const documents = [nodePoolDocument('general'), nodeClassDocument('default')].map((document) =>
      policyDocument(document),
    );
    this.objects.put('PolicyConfigMap', policyConfigMap(documents));
    for (const { kind, name, document, source, hash, value } of documents)
      this.objects.put('PolicyStatus', {
        ...policyStatus({ kind, policy: name }),
        lastAccepted: { source, document, hash, value },
      });
  }

  /** Starts Berth's loops; answers what kills them. */
  start(kube: KubeWriter = this.kube): () => void {
    const { cloud, clock, log } = this.instances;
    const catalogue = () => this.instances.catalogue;
    const cluster = new Cluster();
    const unwatch = this.objects.watch(cluster);
    const unavailableOfferings = new UnavailableOfferings();
    const abort = new AbortController();
    // Four controllers with all their workers listen to it.
    setMaxListeners(0, abort.signal);
    const { logger } = log;
    const { recorder } = this.told;
    const random = seededRandom(3);
    const metrics = createMetrics();
    const claimsInWork = new ClaimsInWork();
    const parts = { cluster, kube, cloud, clock, catalogue, logger, recorder, random, metrics, claimsInWork };
    const nomination = new NominationController(parts);
    const controllers = [
      nomination,
      new ReservationsController(parts),
      new ProvisioningController({
        ...parts,
        planner: new InlinePlanner({ cluster, clock }),
        resolved: new ResolvedNodeClasses({ cloud, clock }),
        unavailableOfferings,
      }),
      new NodeClaimController({
        ...parts,
        unavailableOfferings,
        nodeClass: (name) => acceptedNodeClass(cluster, name),
        nominatePods: (claim, nodeName, signal) => nomination.nominatePods(claim, nodeName, signal),
      }),
    ];
    for (const controller of controllers) void controller.run(abort.signal);
    return () => {
      unwatch();
      abort.abort();
    };
  }

  /** The world goes on; kube-scheduler looks at its pods all the while. */
  async pass(seconds: number): Promise<void> {
    for (let step = 0; step < (seconds * 1000) / STEP_MILLIS; step++) {
      await this.instances.clock.advance(STEP_MILLIS);
      schedule(this.objects, this.#level === 'L2' ? this.#extend : undefined);
    }
  }

  pods(): readonly ObservedPod[] {
    return this.objects.list('Pod');
  }

  /** Nodes without a pod. */
  emptyNodes(): readonly ObservedNode[] {
    const used = new Set(this.pods().map(({ nodeName }) => nodeName));
    return this.objects.list('Node').filter(({ name }) => !used.has(name));
  }

  /** A pod with a reservation goes where that is. */
  readonly #extend: Extend = (pod, nodes) => {
    const held = this.objects
      .list('Reservation')
      .find(({ entries }) => entries.some(({ podUID }) => podUID === pod.uid));
    if (held === undefined) return nodes;
    const { kind, name } = held.target;
    if (kind === 'Node') return nodes.filter((node) => node.name === name);
    const providerID = this.objects.get('NodeClaim', name)?.status.providerID;
    return nodes.filter((node) => node.providerID === providerID);
  };
}
