/** The loops of a process that only observes: what it reports, and the status of the policies that it reads. */
import { ModelCluster } from '../../controllers/observing/model-cluster.js';
import { observedCatalogue } from '../../controllers/observing/observed-catalogue.js';
import { ObservedPools } from '../../controllers/observing/observed-pools.js';
import { ObservingController } from '../../controllers/observing/observing-controller.js';
import { PoliciesController } from '../../controllers/policies/policies-controller.js';
import { ResolvedNodeClasses } from '../../controllers/policies/resolved-node-classes.js';
import { PoolOffers } from '../../controllers/provisioning/pool-offers.js';
import { RecordingController } from '../../controllers/recording/recording-controller.js';
import { fenced } from '../../runtime/leadership/fenced.js';
import { measuredCloud } from '../../runtime/metrics/measured-cloud.js';
import { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import { CLOUDS } from '../clouds.js';
import { decisionOptions } from './decision-options.js';
import type { LoopsOptions } from './loops.js';

/** Runs them until the signal is aborted, and resolves when all have ended. */
export async function runObservingLoops(
  { base, planned: model, planner, kube: writer, cloudSource, isLeader }: LoopsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, clock, random, metrics, logger, options } = base;
  const kube = fenced(writer, isLeader);
  const { upkeep } = cloudSource;
  const { nodeGroups, managedKarpenter } = CLOUDS.get(options.cloud ?? '') ?? {};
  const catalogue =
    managedKarpenter === undefined
      ? cloudSource.catalogue
      : observedCatalogue(cloudSource.catalogue, managedKarpenter);
  const cloud = measuredCloud(fenced(cloudSource.cloud, isLeader), measuringOf(base), 'observing');
  const common = { cluster, kube, clock, random, logger, metrics };
  const recorder = new RecordingController({ ...common, mostDecisions: options.decisionsKept });
  const resolved = new ResolvedNodeClasses({ cloud, clock });
  const overlaid = new OverlaidCatalogue({ cluster, catalogue });
  const unavailableOfferings = new UnavailableOfferings();
  const offered = { catalogue, overlaid, resolved, unavailableOfferings };
  const offers = new PoolOffers({ ...offered, cluster: model, clock, logger });
  const pools = new ObservedPools({ cluster, offers, catalogue, nodeGroups, managedKarpenter });
  const boughtAs = pools.boughtAs.bind(pools);
  const modelCluster = new ModelCluster({ source: cluster, model, boughtAs, clock, random });
  const { disruptionOptions } = decisionOptions(options);
  const intervalMillis = options.observeIntervalMillis;
  const controllers = [
    recorder,
    new PoliciesController({ ...common, recorder, cloud, resolved, overlaid }),
    new ObservingController({
      ...{ ...common, recorder, planner, model, modelCluster, pools },
      ...{ disruptionOptions, isSteering: options.podDeletionCost, intervalMillis },
    }),
  ];
  const working = controllers.map((controller) => controller.run(signal));
  await Promise.all([...working, ...upkeep.map((run) => run(signal))]);
}

function measuringOf({ clock, metrics, options }: LoopsOptions['base']): Parameters<typeof measuredCloud>[1] {
  return { clock, metrics, provider: options.cloud ?? '' };
}
