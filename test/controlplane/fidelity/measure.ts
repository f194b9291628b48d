/** How faithfully pods land where they were planned: one burst, measured from outside. */
import { deployment, nodeClass, nodePool } from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import type { Manifest, SeenPlan, SeenPod } from '../../scenario/world.js';
import { BerthCluster, type IntegrationLevel } from '../berth/berth-cluster.js';
import { NODE_CLAIMS } from '../berth/kinds.js';
import { RealWorld } from '../berth/real-world.js';
import { Timeline } from './timeline.js';

export interface FidelityRow {
  readonly workload: string;
  readonly level: IntegrationLevel;
  readonly pods: number;
  /** Where their first reservation was. */
  readonly boundWherePlanned: number;
  /** Neither where they were planned first nor where they were planned last. */
  readonly boundElsewhere: number;
  /** Planned more than once, and bound where they were planned last. */
  readonly boundAfterReplan: number;
  /** Claims whose node no pod of the workload was bound to. */
  readonly nodesBornEmpty: number;
  /** Claims that were nobody's first plan. */
  readonly secondLaunches: number;
  /** From the later of "node Ready" and "pod created" to "pod bound". */
  readonly readyToBoundP99Seconds: number;
  /** The same from the moment when the node has no taint left that keeps pods away. */
  readonly usableToBoundP50Seconds: number;
  readonly usableToBoundP99Seconds: number;
  /** The part of it in which Berth had not nominated the pod to its node yet; the rest is kube-scheduler's. */
  readonly usableToNominatedP99Seconds: number;
}

export interface Workload {
  readonly name: string;
  readonly manifests: readonly Manifest[];
  readonly pods: number;
  /**
   * Whether there is a node that takes none of them, as the one that Berth itself runs on. Without any node kube-scheduler
   * does not wait for one to appear: it tries again later and later, up to every ten seconds.
   */
  readonly besideSystemNode: boolean;
}

/** 300 pods of one Deployment. */
export const BURST: Workload = {
  name: 'burst-300',
  manifests: [deployment({ name: 'burst', replicas: 300, requests: { cpu: '500m', memory: '1Gi' } })],
  pods: 300,
  besideSystemNode: false,
};

/** As many of six sizes, which fill nodes unevenly. */
export const MIXED: Workload = {
  name: 'mixed-300',
  manifests: [
    ['250m', '512Mi'],
    ['500m', '2Gi'],
    ['900m', '700Mi'],
    ['1300m', '1500Mi'],
    ['2', '6Gi'],
    ['3500m', '3Gi'],
  ].map(([cpu = '', memory = ''], index) =>
    deployment({ name: `mixed-${String(index)}`, replicas: 50, requests: { cpu, memory } }),
  ),
  pods: 300,
  besideSystemNode: true,
};

/** Of one burst; below what a test may take (jest.config.js), so that the cluster is ended. A quiet machine needs 40. */
const BOUND_WITHIN_SECONDS = 220;

/** Applies the workload to an empty cluster and waits until all its pods are bound. */
export async function measureFidelity(workload: Workload, level: IntegrationLevel): Promise<FidelityRow> {
  const berth = await BerthCluster.start({ level, bootMillis: 1000 });
  try {
    return { workload: workload.name, level, ...(await measureOn(berth, workload)) };
  } finally {
    await berth.stop();
  }
}

async function measureOn(berth: BerthCluster, workload: Workload): Promise<Measured> {
  const timeline = new Timeline(berth.cluster);
  try {
    const world = new RealWorld(berth);
    if (workload.besideSystemNode) berth.kubelet.addNode(SYSTEM_NODE);
    await new Scenario(world).given(nodeClass(), nodePool());
    await world.apply(workload.manifests);
    const pods = await world.until(
      `${String(workload.pods)} pods are bound`,
      async () => {
        const all = await world.pods();
        return all.length === workload.pods && all.every(({ nodeName }) => nodeName !== undefined) && all;
      },
      BOUND_WITHIN_SECONDS,
    );
    return { ...(await tally(berth, pods)), ...waits(timeline, pods) };
  } finally {
    await timeline.stop();
  }
}

function waits(timeline: Timeline, pods: readonly SeenPod[]): Omit<Measured, keyof Tally> {
  const usable = timeline.usableToBound(pods);
  return {
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
  'pods' | 'boundWherePlanned' | 'boundElsewhere' | 'boundAfterReplan' | 'nodesBornEmpty' | 'secondLaunches'
>;

async function tally(berth: BerthCluster, pods: readonly SeenPod[]): Promise<Tally> {
  const plans = await berth.plans();
  const landed = pods.map((pod) => outcome(berth, plans, pod));
  const count = (wanted: string): number => landed.filter((each) => each === wanted).length;
  const claims = (await berth.cluster.api.list(NODE_CLAIMS)).items;
  const filled = new Set(pods.map(({ nodeName }) => nodeName));
  const firsts = new Set(pods.map(({ uid }) => plans.get(uid)?.targets[0]));
  return {
    pods: pods.length,
    boundWherePlanned: count('planned'),
    boundElsewhere: count('elsewhere'),
    boundAfterReplan: count('replanned'),
    nodesBornEmpty: claims.filter(({ status }) => !filled.has(status?.nodeName)).length,
    secondLaunches: claims.filter(({ metadata }) => !firsts.has(`NodeClaim/${metadata.name}`)).length,
  };
}

function outcome(
  berth: BerthCluster,
  plans: ReadonlyMap<string, SeenPlan>,
  { uid, nodeName }: SeenPod,
): 'planned' | 'replanned' | 'elsewhere' {
  const targets = plans.get(uid)?.targets ?? [];
  if (berth.nodeOf(targets[0] ?? '') === nodeName) return 'planned';
  return berth.nodeOf(targets.at(-1) ?? '') === nodeName ? 'replanned' : 'elsewhere';
}
