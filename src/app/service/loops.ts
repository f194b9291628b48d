/** The one page that builds the controllers and joins them to their ports. They run on the leader only. */
import { CapacityBuffersController } from '../../controllers/capacity-buffers/capacity-buffers-controller.js';
import { ResolvedBuffers } from '../../controllers/capacity-buffers/resolved-buffers.js';
import { ClaimsInWork } from '../../controllers/claims-in-work.js';
import {
  ConditionsController,
  type ConditionsControllerOptions,
} from '../../controllers/disruption/conditions/conditions-controller.js';
import {
  DisruptionController,
  type DisruptionControllerOptions,
} from '../../controllers/disruption/disruption-controller.js';
import { DriftRollouts } from '../../controllers/disruption/rollout/drift-rollouts.js';
import { EmptyingController } from '../../controllers/disruption/emptying/emptying-controller.js';
import { PodEvents } from '../../controllers/disruption/conditions/pod-events.js';
import { GarbageCollectionController } from '../../controllers/garbage-collection/garbage-collection-controller.js';
import { InterruptionController } from '../../controllers/interruption/interruption-controller.js';
import {
  CapacityTypeController,
  type CapacityTypeControllerOptions,
} from '../../controllers/interruption/capacity-type-controller.js';
import { ReservationEndsController } from '../../controllers/interruption/reservation-ends-controller.js';
import { MeasuringController } from '../../controllers/measuring/measuring-controller.js';
import { NodeClaimController } from '../../controllers/node-claim/node-claim-controller.js';
import { RebootController } from '../../controllers/node-claim/reboot/reboot-controller.js';
import { OwnedInstances } from '../../controllers/owned-instances.js';
import { UnstampedPodsController } from '../../controllers/policies/unstamped-pods-controller.js';
import { PoliciesController } from '../../controllers/policies/policies-controller.js';
import { ResolvedNodeClasses } from '../../controllers/policies/resolved-node-classes.js';
import { ProvisioningController } from '../../controllers/provisioning/provisioning-controller.js';
import {
  ProvisioningRequestsController,
  type ProvisioningRequestsControllerOptions,
} from '../../controllers/provisioning-requests/provisioning-requests-controller.js';
import { Safeguards } from '../../controllers/safeguards/safeguards.js';
import { GateController } from '../../controllers/reservations/gate-controller.js';
import { HeldNodesController } from '../../controllers/reservations/held-nodes-controller.js';
import { NominationController } from '../../controllers/reservations/nomination-controller.js';
import { ReservationsController } from '../../controllers/reservations/reservations-controller.js';
import { ResizesController } from '../../controllers/resizes/resizes-controller.js';
import { StaticPoolsController } from '../../controllers/static-pools/static-pools-controller.js';
import { ZonalShiftController } from '../../controllers/zonal-shift/zonal-shift-controller.js';
import { PodTimes } from '../../controllers/measuring/pod-times.js';
import type { Cloud } from '../../ports/cloud.js';
import type { InterruptionQueue } from '../../ports/interruption-queue.js';
import type { KubeWriter, ObservationWriter } from '../../ports/kube-writer.js';
import type { Recorder } from '../../ports/recorder.js';
import type { ReservationEnds } from '../../ports/reservation-ends.js';
import type { Planner } from '../../ports/planner.js';
import type { ZonalShifts } from '../../ports/zonal-shifts.js';
import { fenced } from '../../runtime/leadership/fenced.js';
import { measuredCloud } from '../../runtime/metrics/measured-cloud.js';
import { Mutex } from '../../runtime/concurrency/mutex.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import { Cluster } from '../../state/cluster/cluster.js';
import { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import { approvalParts } from './approval-parts.js';
import type { Base } from './base.js';
import { decisionOptions } from './decision-options.js';
import { runObservingLoops } from './observing-loops.js';
import type { CloudSource } from '../../runtime/process/cloud-provider.js';

export interface LoopsOptions {
  readonly base: Base;
  readonly kube: KubeWriter & ObservationWriter;
  readonly cloudSource: Omit<CloudSource, 'close'>;
  readonly planner: Planner;
  /** The cluster that the planner looks at: that of the base, or while observing an empty one. */
  readonly planned: Cluster;
  readonly isLeader: () => boolean;
}

/** What a planner of the process has to look at. */
export function plannedCluster({ options, cluster }: Pick<Base, 'options' | 'cluster'>): Cluster {
  return options.mode === 'observe' ? new Cluster(cluster.demandTerms) : cluster;
}

/** Runs every loop until the signal is aborted, and resolves when all have ended. */
export async function runLoops(options: LoopsOptions, signal: AbortSignal): Promise<void> {
  const { base, planner, isLeader } = options;
  if (base.options.mode === 'observe') {
    await runObservingLoops(options, signal);
    return;
  }
  const { cluster, clock, random, metrics, logger } = base;
  // What was decided before the lead was lost must not be carried out after.
  const kube = fenced(options.kube, isLeader);
  const { catalogue, upkeep } = options.cloudSource;
  const { clusterName, nominate, podDeletionCost, taintNewNodes, checkCapacityInstance } = base.options;
  const cloudFor = cloudsOf(options);
  const instances = new OwnedInstances({ cluster, cloud: cloudFor('instances'), clock, signal });
  const common = { cluster, kube, clock, random, logger, metrics };
  const { recorder, launchApprovals, approvals, controllers: recording } = approvalParts(base, kube);
  const safeguards = safeguardsOf(base, recorder);
  const resolved = new ResolvedNodeClasses({ cloud: cloudFor('nodeclass'), clock });
  const overlaid = new OverlaidCatalogue({ cluster, catalogue });
  const offered = { catalogue, overlaid, unavailableOfferings: unavailableIn(options) };
  const nomination = new NominationController(common);
  const { ledger } = base;
  const claimsInWork = new ClaimsInWork();
  const podTimes = new PodTimes({ clock, metrics });
  const guarded = { recorder, safeguards, driftRollouts: new DriftRollouts({ ...common, recorder }) };
  const shared = { ...guarded, mutex: new Mutex(), claimsInWork, buffers: new ResolvedBuffers(common) };
  const actsOnRebalance = base.options.rebalance === 'replace';
  const disrupting = { ...warningsOf(options), instances, podDeletionCost, actsOnRebalance };
  const deciding = { ...offered, ...decisionOptions(base.options), ...shared, planner, resolved };
  const booking = { needsApproval: launchApprovals !== undefined, processorInstance: checkCapacityInstance };
  const settings = base.options;
  const controllers = [
    ...recording,
    safeguards,
    new PoliciesController({ ...common, ...guarded, cloud: cloudFor('policies'), resolved, overlaid }),
    new ProvisioningController({ ...common, ...deciding, ledger, podTimes, settings, launchApprovals }),
    new StaticPoolsController({ ...common, ...deciding }),
    new CapacityBuffersController({ ...common, ...deciding }),
    ...heldRoom({ ...common, ...deciding, ...booking }),
    new GateController({ ...common, recorder }),
    ...(nominate ? [nomination] : []),
    new UnstampedPodsController({ ...common, recorder, namespace: base.options.namespace }),
    new HeldNodesController({ ...common, isOn: taintNewNodes }),
    new NodeClaimController({
      ...{ ...common, ...guarded, ...offered },
      cloud: cloudFor('nodeclaim'),
      instances,
      claimsInWork,
      clusterName,
      settings: { taintNewNodes },
      nodeClass: (ref) => acceptedNodeClass(cluster, ref),
      nominatePods: (claim, nodeName, own) =>
        nominate ? nomination.nominatePods(claim, nodeName, own) : Promise.resolve(),
    }),
    new RebootController({ ...common, ...guarded, ...offered, cloud: cloudFor('nodeclaim.reboot') }),
    ...disruption({ ...common, ...deciding, ...disrupting, approvals, cloud: cloudFor('disruption') }),
    new GarbageCollectionController({ ...common, ...guarded, cloud: cloudFor('garbage'), instances }),
    new MeasuringController({ ...common, ...offered, detail: base.options.metricsDetail, podTimes }),
  ];
  const working = controllers.map((controller) => controller.run(signal));
  await Promise.all([...working, ...upkeep.map((run) => run(signal))]);
}

/** The cloud as a controller of a name uses it. */
function cloudsOf({ base, cloudSource, isLeader }: LoopsOptions): (controller: string) => Cloud {
  const { clock, metrics, options } = base;
  const cloud = fenced(cloudSource.cloud, isLeader);
  const measuring = { clock, metrics, provider: options.cloud ?? '' };
  return (controller) => measuredCloud(cloud, measuring, controller);
}

/** Nothing yet; whether there is a zonal shift is asked first where the cloud has them. */
function unavailableIn({ cloudSource: { zonalShifts } }: LoopsOptions): UnavailableOfferings {
  return new UnavailableOfferings({ awaitsShifts: zonalShifts !== undefined });
}

/** One for the term: launches and ends are counted over all loops. */
function safeguardsOf({ cluster, clock, logger, metrics, options }: Base, recorder: Recorder): Safeguards {
  const { namespace } = options;
  return new Safeguards({ cluster, clock, recorder, logger, metrics, namespace, limits: options });
}

/** What tells that instances are taken, and zones are left; undefined where the cloud has no such source. */
interface InstanceWarnings {
  readonly queue: InterruptionQueue | undefined;
  readonly reservationEnds: ReservationEnds | undefined;
  readonly statuses: InterruptionQueue | undefined;
  readonly shifts: ZonalShifts | undefined;
  /** Berth's own, which events of shifts are about. */
  readonly namespace: string;
}

function warningsOf({ base, cloudSource, isLeader }: LoopsOptions): InstanceWarnings {
  const { interruptions, statuses, reservationEnds, zonalShifts } = cloudSource;
  return {
    queue: interruptions && fenced(interruptions, isLeader),
    statuses: statuses && fenced(statuses, isLeader),
    reservationEnds,
    shifts: zonalShifts,
    namespace: base.options.namespace,
  };
}

type DisruptionParts = Omit<DisruptionControllerOptions, 'podEvents' | 'settings'> &
  Pick<ConditionsControllerOptions, 'cloud'> &
  CapacityTypeControllerOptions &
  InstanceWarnings & {
    readonly instances: OwnedInstances;
    readonly podDeletionCost: boolean;
    readonly actsOnRebalance: boolean;
  };

/** What lets go of room, and what books it for pods that do not exist yet. */
function heldRoom(
  parts: ProvisioningRequestsControllerOptions,
): readonly { run(signal: AbortSignal): Promise<void> }[] {
  const requests = new ProvisioningRequestsController(parts);
  return [requests, new ReservationsController({ ...parts, roomLost: requests.roomLost })];
}

/** What takes nodes away, and what tells of instances that are taken. */
function disruption({
  queue,
  reservationEnds: ends,
  statuses,
  shifts,
  podDeletionCost,
  ...parts
}: DisruptionParts): readonly { run(signal: AbortSignal): Promise<void> }[] {
  const podEvents = new PodEvents(parts.clock);
  const emptying = new EmptyingController({ ...parts, isOn: podDeletionCost });
  return [
    new ConditionsController({ ...parts, podEvents }),
    new DisruptionController({
      ...parts,
      podEvents,
      onEmptying: (claims) => {
        emptying.rank(claims);
      },
    }),
    emptying,
    new ResizesController(parts),
    ...(queue === undefined ? [] : [new InterruptionController({ ...parts, queue })]),
    ...(shifts === undefined ? [] : [new ZonalShiftController({ ...parts, shifts })]),
    ...(ends === undefined ? [] : [new ReservationEndsController({ ...parts, ends })]),
    new CapacityTypeController(parts),
    ...(statuses === undefined
      ? []
      : [new InterruptionController({ ...parts, queue: statuses, source: 'instance status' })]),
  ];
}
