/**
 * Nodes of a capacity reservation that has ended, or was cancelled, are on-demand from then on, and paid as such: it says so on
 * their claims and nodes (Karpenter: capacityreservation.capacitytype). Nothing is remembered: the next process asks again.
 */
import { offeringIn, paidPrice } from '../../domain/nodes/instance-type.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
} from '../../domain/values/labels.js';
import type { CloudInstance } from '../../ports/cloud.js';
import type { Clock } from '../../ports/clock.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Recorder } from '../../ports/recorder.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import { periodic } from '../../runtime/concurrency/periodic.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { isLeaving } from '../../state/nodes/node-state.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import type { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import { ClusterWriter } from '../cluster-writer.js';
import { is } from '../node-claim/claim-conditions.js';
import { recordClaim } from '../node-claim/record-claim.js';
import { priceLabel } from '../node-claim/registration.js';
import type { OwnedInstances } from '../owned-instances.js';

export interface CapacityTypeControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly instances: Pick<OwnedInstances, 'one'>;
  readonly overlaid: Pick<OverlaidCatalogue, 'typesOfClaim'>;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
}

/** As in Karpenter. */
const LOOK_MILLIS = 60_000;

/** Of a node that is in no reservation any more. */
const NO_RESERVATION = {
  [CAPACITY_RESERVATION_ID]: null,
  [CAPACITY_RESERVATION_TYPE]: null,
  [CAPACITY_RESERVATION_INTERRUPTIBLE]: null,
};

export class CapacityTypeController {
  readonly #options: CapacityTypeControllerOptions;
  readonly #writer: ClusterWriter;

  constructor(options: CapacityTypeControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger } = this.#options;
    await cluster.whenSynced(['NodeClaim', 'Node'], signal).catch(() => undefined);
    const task = (own: AbortSignal): Promise<void> => this.look(own);
    await periodic({
      ...{ everyMillis: LOOK_MILLIS, clock, signal, task, logger },
      name: 'look for nodes whose capacity reservation has ended',
    });
  }

  /** One look at the claims; without reserved ones the cloud is not asked. @throws PortError, when it does not answer. */
  async look(signal: AbortSignal): Promise<void> {
    const { cluster, instances, logger } = this.#options;
    const claims = [...cluster.nodeClaims.values()].filter((claim) => this.#isReserved(claim));
    const asked = await Promise.all(
      claims.map(async (claim) => ({ claim, instance: await instances.one(claim.status.providerID ?? '') })),
    );
    const over = asked.filter(({ instance }) => hasLeftReservation(instance));
    const failures = await tryInParallel(over, ({ claim }) => this.#demote(claim, signal), { signal });
    for (const error of failures)
      logger.warn('Failed to write that a node is on-demand now; it is tried again', { error });
  }

  /** One that has registered: before, its node may still come with the labels of the launch. */
  #isReserved(claim: NodeClaim): boolean {
    const { capacityType, providerID } = claim.status;
    return (
      capacityType === 'reserved' &&
      providerID !== undefined &&
      is(claim, 'Registered') &&
      !isLeaving(claim, this.#options.cluster.nodeOfClaim(claim.name))
    );
  }

  /** The status comes last: as long as it says reserved, the rest is tried again. */
  async #demote(claim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { cluster, recorder } = this.#options;
    const node = cluster.nodeOfClaim(claim.name);
    const hourlyPrice = this.#onDemandPrice(claim);
    if (node !== undefined) {
      const labels = { ...NO_RESERVATION, [CAPACITY_TYPE]: 'on-demand', ...priceLabel(hourlyPrice) };
      await this.#writer.patchNode(node, { labels }, signal);
    }
    if (!(await this.#writer.labelClaim(claim, NO_RESERVATION, signal))) return;
    const current = cluster.nodeClaims.get(claim.name);
    if (current === undefined) return;
    await this.#writer.updateStatus(current, { capacityType: 'on-demand', hourlyPrice }, signal);
    const id = claim.labels.get(CAPACITY_RESERVATION_ID) ?? '';
    recordClaim(recorder, claim, {
      action: 'Register',
      reason: 'CapacityTypeChanged',
      message: `the instance is no longer in capacity reservation ${id}: its capacity type is on-demand now`,
      trigger: 'end of the capacity reservation',
      event: 'Normal',
    });
  }

  /** USD/h; undefined where the catalogue does not know it. */
  #onDemandPrice(claim: NodeClaim): number | undefined {
    const { spec, status } = claim;
    const { cluster, overlaid } = this.#options;
    const nodeClass = acceptedNodeClass(cluster, spec.nodeClassRef);
    const types = nodeClass === undefined ? [] : overlaid.typesOfClaim(nodeClass, claim);
    const type = types.find(({ name }) => name === status.instanceType);
    const offering = offeringIn(type, { zone: status.zone, capacityType: 'on-demand' });
    return offering && paidPrice(offering);
  }
}

function hasLeftReservation(instance: CloudInstance | undefined): boolean {
  return instance?.state === 'running' && instance.capacityType === 'on-demand';
}
