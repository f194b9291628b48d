/** The one page that builds the controllers and joins them to their ports. They run on the leader only. */
import { WorkerPlanner } from '../../adapters/planner/index.js';
import { catalogueFor } from '../../catalogue/index.js';
import { GarbageCollectionController } from '../../controllers/garbage-collection/index.js';
import { MeasuringController } from '../../controllers/measuring/index.js';
import { NodeClaimController } from '../../controllers/node-claim/index.js';
import { NominationController } from '../../controllers/nomination/index.js';
import { PoliciesController, ResolvedNodeClasses } from '../../controllers/policies/index.js';
import { ProvisioningController } from '../../controllers/provisioning/index.js';
import { RecordingController } from '../../controllers/recording/index.js';
import { ReservationsController } from '../../controllers/reservations/index.js';
import type { Cloud } from '../../ports/cloud.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import { fenced } from '../../runtime/fenced.js';
import { acceptedNodeClass } from '../../state/accepted-node-class.js';
import { UnavailableOfferings } from '../../state/unavailable-offerings.js';
import type { Base } from './base.js';

export interface LoopsOptions {
  readonly base: Base;
  readonly kube: KubeWriter;
  readonly cloud: Cloud;
  /** The program itself, which knows when it is started as planner. */
  readonly plannerEntry: URL;
  readonly isLeader: () => boolean;
}

/** Runs every loop until the signal is aborted, and resolves when all have ended. */
export async function runLoops(options: LoopsOptions, signal: AbortSignal): Promise<void> {
  const { base, isLeader } = options;
  const { cluster, clock, random, metrics } = base;
  const logger = base.logger;
  // What was decided before the lead was lost must not be carried out after.
  const kube = fenced(options.kube, isLeader);
  const cloud = fenced(options.cloud, isLeader);
  const { region, clusterName, nominate } = base.options;
  const { batchIdleMillis, batchMaxMillis, planTimeoutMillis } = base.options;
  const catalogue = catalogueFor(region);
  const common = { cluster, kube, clock, random, logger, metrics };
  const recorder = new RecordingController({ ...common, mostDecisions: base.options.decisionsKept });
  const planner = new WorkerPlanner({
    entry: options.plannerEntry,
    deadlineMillis: planTimeoutMillis,
    clock,
    logger,
  });
  const resolved = new ResolvedNodeClasses({ cloud, clock });
  const unavailableOfferings = new UnavailableOfferings();
  const nomination = new NominationController(common);
  const provisioning = {
    planner,
    catalogue,
    resolved,
    unavailableOfferings,
    settings: { batchIdleMillis, batchMaxMillis },
  };
  const controllers = [
    recorder,
    new PoliciesController({ ...common, cloud, resolved, recorder }),
    new ProvisioningController({ ...common, ...provisioning, recorder }),
    new ReservationsController(common),
    ...(nominate ? [nomination] : []),
    new NodeClaimController({
      ...common,
      cloud,
      catalogue,
      unavailableOfferings,
      recorder,
      clusterName,
      nodeClass: (name) => acceptedNodeClass(cluster, name),
      nominatePods: (claim, nodeName, own) =>
        nominate ? nomination.nominatePods(claim, nodeName, own) : Promise.resolve(),
    }),
    new GarbageCollectionController({ ...common, cloud, recorder }),
    new MeasuringController(common),
  ];
  try {
    await Promise.all(controllers.map((controller) => controller.run(signal)));
  } finally {
    await planner.close();
  }
}
