/** One random cluster in a real control plane, with pending pods that planning and kube-scheduler judge. */
import type { ControlPlane } from '../fixture/control-plane.js';
import type { RecordingExtender } from '../fixture/recording-extender.js';
import { Chance } from './chance.js';
import { compare, type Difference } from './compare.js';
import type { Kind } from './kinds/kind.js';
import { LiveCluster, type LiveObjects } from './live-cluster.js';
import { ourView } from './our-verdicts.js';
import { randomPendingPods, type PendingPod } from './random-pods.js';
import type { Tally } from './tally.js';
import { TheirVerdicts } from './their-verdicts.js';

export interface RoundOptions {
  readonly cluster: ControlPlane;
  readonly extender: RecordingExtender;
  readonly seed: number;
  readonly kinds: readonly Kind[];
  readonly tally: Tally;
  readonly nodes: number;
  readonly pods: number;
}

/** A difference with what it takes to see it again. */
export interface Found extends Difference {
  readonly seed: number;
  readonly pod: unknown;
  readonly nodeObject: unknown;
}

export interface RoundResult {
  readonly found: readonly Found[];
  readonly nodes: number;
  /** Pod × node verdicts that were compared. */
  readonly verdicts: number;
  /** Pods that fit nowhere. */
  readonly nowhere: number;
  /** What the decoders complained of. */
  readonly findings: readonly string[];
}

/** The scheduler starts when the cluster stands, so that it has seen all of it before it judges any pod. */
export async function judgeRound(options: RoundOptions): Promise<RoundResult> {
  const { cluster, extender, seed, kinds, tally, nodes, pods } = options;
  const chance = new Chance(seed);
  const live = new LiveCluster(cluster.api);
  await cluster.scheduler.stop();
  await live.clear();
  await live.fill(chance, { nodes, bound: nodes * 2 });
  await cluster.restartScheduler();
  const pending = randomPendingPods(chance, {
    kinds,
    count: pods,
    atWork: (kind) => tally.rarer(kind),
  });
  const theirs = new TheirVerdicts(cluster.api, extender);
  try {
    await Promise.all(pending.map(({ draft }) => live.createPending(draft.manifest())));
    const verdicts = await theirs.all(pending.map(keyOf));
    return judge({ ...options, pending, verdicts, objects: await live.read() });
  } finally {
    await theirs.close();
  }
}

function keyOf({ draft }: PendingPod): string {
  return `${draft.namespace}/${draft.name}`;
}

interface Judging extends RoundOptions {
  readonly pending: readonly PendingPod[];
  readonly verdicts: Awaited<ReturnType<TheirVerdicts['all']>>;
  readonly objects: LiveObjects;
}

function judge({ pending, verdicts, objects, tally, seed, nodes, pods }: Judging): RoundResult {
  const ours = ourView(objects);
  const found: Found[] = [];
  let nowhere = 0;
  for (const pod of pending) {
    const answers = ours.verdicts.get(keyOf(pod));
    const theirs = verdicts.get(keyOf(pod));
    if (answers === undefined || theirs === undefined) throw new Error(`${keyOf(pod)} was not judged`);
    tally.add(pod, [...answers.values()]);
    if (!('nodes' in theirs)) nowhere++;
    for (const difference of compare(answers, theirs, ours.boundClaims)) {
      const nodeObject = objects.nodes.find(({ metadata }) => metadata.name === difference.node);
      const { name, labels } = nodeObject?.metadata ?? {};
      const { spec, status } = (nodeObject ?? {}) as { readonly spec?: object; readonly status?: object };
      const node = { metadata: { name, labels }, spec, status };
      found.push({ ...difference, seed, pod: pod.draft.manifest(), nodeObject: node });
    }
  }
  return { found, nodes, verdicts: pods * nodes, nowhere, findings: ours.findings };
}
