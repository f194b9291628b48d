/** The loops of a process that only observes: it keeps the status of policies, and what is decided is recorded. */
import { PoliciesController } from '../../controllers/policies/policies-controller.js';
import { ResolvedNodeClasses } from '../../controllers/policies/resolved-node-classes.js';
import { RecordingController } from '../../controllers/recording/recording-controller.js';
import { fenced } from '../../runtime/leadership/fenced.js';
import { measuredCloud } from '../../runtime/metrics/measured-cloud.js';
import { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import type { LoopsOptions } from './loops.js';

/** Runs them until the signal is aborted, and resolves when all have ended. */
export async function runObservingLoops(
  { base, kube: writer, cloudSource, isLeader }: Omit<LoopsOptions, 'planner'>,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, clock, random, metrics, logger, options } = base;
  const kube = fenced(writer, isLeader);
  const { catalogue, upkeep } = cloudSource;
  const measuring = { clock, metrics, provider: options.cloud ?? '' };
  const cloud = measuredCloud(fenced(cloudSource.cloud, isLeader), measuring, 'observing');
  const common = { cluster, kube, clock, random, logger, metrics };
  const recorder = new RecordingController({ ...common, mostDecisions: options.decisionsKept });
  const resolved = new ResolvedNodeClasses({ cloud, clock });
  const overlaid = new OverlaidCatalogue({ cluster, catalogue });
  const controllers = [recorder, new PoliciesController({ ...common, recorder, cloud, resolved, overlaid })];
  const working = controllers.map((controller) => controller.run(signal));
  await Promise.all([...working, ...upkeep.map((run) => run(signal))]);
}
