/** How faithfully pods land where they were planned: one burst, measured from outside. */
import { nodeClass, nodePool } from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import type { SeenPlan, SeenPod } from '../../scenario/world.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { NODE_CLAIMS } from '../berth/kinds.js';
import { RealWorld } from '../berth/real-world.js';
import { untilAsked } from '../berth/until-asked.js';
import { eventually } from '../fixture/eventually.js';
import { metricSum } from '../fixture/metric-sum.js';
import { Timeline } from './timeline.js';
import type { Stage, Workload } from './workload.js';

export interface FidelityRow {
  readonly workload: string;
  readonly level: string;
  readonly pods: number;
  /** Where their first reservation was. */
  readonly boundWherePlanned: number;
  /** Neither where they were planned first nor where they were planned last. */
  readonly boundElsewhere: number;
  /** Planned more than once, and bound where they were planned last. */
  readonly boundAfterReplan: number;
  /** Never planned: there was free room when kube-scheduler tried them. */
  readonly boundUnplanned: number;
  /** Claims whose node no pod was ever bound to. */
  readonly nodesBornEmpty: number;
  /** Claims that were nobody's first plan. */
  readonly secondLaunches: number;
  /** Pods of others that are bound. */
  readonly thievesBound: number;
  /** Planned pods that were still not bound a minute after the last thief had come. */
  readonly unboundAfterMinute: number;
  /** From "pod created" to "pod bound". */
  readonly createdToBoundP50Seconds: number;
  readonly createdToBoundP99Seconds: number;
  /** From the later of "node Ready" and "pod created" to "pod bound". */
  readonly readyToBoundP99Seconds: number;
  /** The same from the moment when the node has no taint left that keeps pods away. */
  readonly usableToBoundP50Seconds: number;
  readonly usableToBoundP99Seconds: number;
  /** The part of it in which Berth had not nominated the pod to its node yet; the rest is kube-scheduler's. */
  readonly usableToNominatedP99Seconds: number;
  /** How often kube-scheduler tried a pod, on average over all pods that were bound. */
  readonly attemptsPerPod: number;
  /** Filter calls that kube-scheduler went on without, so that it put the pod where it liked. */
  readonly callsIgnored: number;
}

/** Of one burst; below what a test may take (jest.config.js), so that the cluster is ended. A quiet machine needs 40. */
const BOUND_WITHIN_SECONDS = 220;
const MINUTE_MILLIS = 60_000;
const SETTLING = { timeoutMillis: MINUTE_MILLIS, everyMillis: 100 };

/** As `measureFidelity`, and again while kube-scheduler went on without Berth. */
export function measureAsked(workload: Workload): Promise<FidelityRow> {
  return untilAsked(workload.name, () => measureFidelity(workload));
}

/** Applies the workload to an empty cluster and waits until all its pods are bound. */
export async function measureFidelity(workload: Workload): Promise<FidelityRow> {
  const { name, cluster, level = cluster?.level ?? 'L2' } = workload;
  const berth = await BerthCluster.start({ bootMillis: 1000, ...cluster });
  try {
    return { workload: name, level, ...(await measureOn(berth, workload)) };
  } finally {
    await berth.stop();
  }
}

async function measureOn(berth: BerthCluster, workload: Workload): Promise<Measured> {
  const timeline = new Timeline(berth.cluster);
  try {
    const world = new RealWorld(berth);
    const stage: Stage = { berth, world, timeline };
    if (workload.besideSystemNode) berth.kubelet.addNode(SYSTEM_NODE);
    await new Scenario(world).given(nodeClass(), workload.pool ?? nodePool());
    await workload.before?.(stage);
    const { ours = isAny, isCurrent = isAny, withinSeconds = BOUND_WITHIN_SECONDS } = workload;
    const own = (): readonly SeenPod[] => timeline.pods().filter(ours);
    const attemptsBefore = await attempts(berth);
    await world.apply(workload.manifests);
    const unbound = workload.during === undefined ? 0 : await through(workload.during, stage, own);
    const pods = await eventually(
      `${String(workload.pods)} pods are bound`,
      () => {
        const all = own();
        const isDone = all.every((pod) => pod.nodeName !== undefined && isCurrent(pod));
        return all.length === workload.pods && isDone && all;
      },
      { timeoutMillis: withinSeconds * 1000, everyMillis: 100 },
    );
    // Nodes that are being launched for thieves are not born empty.
    const isSettled = (): boolean => timeline.pods().every(({ nodeName }) => nodeName !== undefined);
    if (workload.during !== undefined)
      await eventually('all are bound', isSettled, SETTLING).catch(() => undefined);
    const perPod = ((await attempts(berth)) - attemptsBefore) / timeline.pods().length;
    return {
      ...(await tally(stage, pods)),
      thievesBound: timeline.pods().filter((pod) => !ours(pod) && pod.nodeName !== undefined).length,
      unboundAfterMinute: unbound,
      ...waits(timeline, pods),
      attemptsPerPod: Number(perPod.toFixed(2)),
      callsIgnored: berth.callsIgnored(),
    };
  } finally {
    await timeline.stop();
  }
}

/** Lets happen what happens during a burst; answers how many of its pods are not bound a minute later, or before all of them are. */
async function through(
  happen: (stage: Stage) => Promise<void>,
  stage: Stage,
  own: () => readonly SeenPod[],
): Promise<number> {
  await happen(stage);
  const unbound = (): number => own().filter(({ nodeName }) => nodeName === undefined).length;
  const limits = { timeoutMillis: MINUTE_MILLIS, everyMillis: 100 };
  await eventually('all are bound', () => own().length > 0 && unbound() === 0, limits).catch(() => undefined);
  return unbound();
}

/** Of all schedulers. */
async function attempts({ cluster }: BerthCluster): Promise<number> {
  const pages = await Promise.all(cluster.schedulers.map((scheduler) => scheduler.metrics()));
  return pages.reduce((sum, page) => sum + metricSum(page, 'scheduler_schedule_attempts_total'), 0);
}

function waits(
  timeline: Timeline,
  pods: readonly SeenPod[],
): Omit<Measured, keyof Tally | 'thievesBound' | 'unboundAfterMinute' | 'attemptsPerPod' | 'callsIgnored'> {
  const created = timeline.createdToBound(pods);
  const usable = timeline.usableToBound(pods);
  return {
    createdToBoundP50Seconds: created.p50,
    createdToBoundP99Seconds: created.p99,
    readyToBoundP99Seconds: timeline.readyToBound(pods).p99,
    usableToBoundP50Seconds: usable.p50,
    usableToBoundP99Seconds: usable.p99,
    usableToNominatedP99Seconds: timeline.usableToNominated(pods).p99,
  };
}

const SYSTEM_NODE: Parameters<BerthCluster['kubelet']['addNode']>[0] = {
  name: 'system',
  taints: [{ key: 'CriticalAddonsOnly', effect: 'NoSchedule' }],
};

type Measured = Omit<FidelityRow, 'workload' | 'level'>;

type Tally = Pick<
  Measured,
  | 'pods'
  | 'boundWherePlanned'
  | 'boundElsewhere'
  | 'boundAfterReplan'
  | 'boundUnplanned'
  | 'nodesBornEmpty'
  | 'secondLaunches'
>;

async function tally({ berth, timeline }: Stage, pods: readonly SeenPod[]): Promise<Tally> {
  const plans = await berth.plans();
  const landed = pods.map((pod) => outcome(berth, plans, pod));
  const count = (wanted: string): number => landed.filter((each) => each === wanted).length;
  const claims = (await berth.cluster.api.list(NODE_CLAIMS)).items;
  const firsts = new Set([...plans.values()].map(({ targets }) => targets[0]));
  return {
    pods: pods.length,
    boundWherePlanned: count('planned'),
    boundElsewhere: count('elsewhere'),
    boundAfterReplan: count('replanned'),
    boundUnplanned: count('unplanned'),
    nodesBornEmpty: claims.filter(({ status }) => !timeline.wasFilled(status?.nodeName ?? '')).length,
    secondLaunches: claims.filter(({ metadata }) => !firsts.has(`NodeClaim/${metadata.name}`)).length,
  };
}

function outcome(
  berth: BerthCluster,
  plans: ReadonlyMap<string, SeenPlan>,
  { uid, nodeName }: SeenPod,
): 'planned' | 'replanned' | 'elsewhere' | 'unplanned' {
  const targets = plans.get(uid)?.targets ?? [];
  const [first] = targets;
  if (first === undefined) return 'unplanned';
  if (berth.nodeOf(first) === nodeName) return 'planned';
  return berth.nodeOf(targets.at(-1) ?? '') === nodeName ? 'replanned' : 'elsewhere';
}

function isAny(): boolean {
  return true;
}
