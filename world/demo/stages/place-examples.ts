/** The first stage: every folder of the examples is applied, and each pod gets the instance that the offline plan says. */
import type { Plan } from '../../../src/planning/plan.js';
import { hourlyPrice, isCalm, liveClaims, livePods } from './cluster-view.js';
import type { KubeManifest } from '../manifests/kube-objects.js';
import { finding, type Finding, type Stage, type StageContext } from './stage.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { ReservationTarget } from '../../../src/domain/records/reservation.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';

/** From the first manifest to the last pod running: a boot takes less than a minute of it. */
const MOST_SECONDS = 420;
/** Prices are compared to a hundredth of a cent. */
const DIGITS = 4;

export interface ExampleFolder {
  readonly name: string;
  readonly manifests: readonly KubeManifest[];
}

/** `plan` is what `berth plan` says of the same files. */
export function placeExamples(folders: readonly ExampleFolder[], plan: Plan): Stage {
  return {
    name: 'place',
    announcement: `${String(folders.length)} folders of examples, as kubectl apply does`,
    run: (context) => run(folders, plan, context),
  };
}

async function run(
  folders: readonly ExampleFolder[],
  plan: Plan,
  context: StageContext,
): Promise<readonly Finding[]> {
  const { cluster, objects, signal } = context;
  const places = new PlannedPlaces(cluster);
  const applied = async (): Promise<void> => {
    for (const { name, manifests } of folders) {
      for (const manifest of manifests) await objects.apply(manifest, signal);
      context.say('apply', name);
    }
  };
  // Their pods are then one batch, as those of the plan that they are compared with.
  await context.atOnce(applied());
  const wanted = plan.placements.length;
  await context.until(MOST_SECONDS, () => livePods(cluster).length >= wanted && isCalm(cluster));
  const pods = livePods(cluster);
  const bound = pods.filter(({ nodeName }) => nodeName !== undefined);
  const judged = bound.map((pod) => places.isWherePlanned(pod));
  return [
    finding('pods bound', wanted, bound.length),
    finding('pods bound to their planned node', wanted, judged.filter((where) => where === true).length),
    finding('nodes, as in berth plan', plan.claims.length, liveClaims(cluster).length),
    finding(
      'USD/h, as in berth plan',
      plan.cost.hourly.toFixed(DIGITS),
      hourlyPrice(cluster).toFixed(DIGITS),
    ),
  ];
}

class PlannedPlaces {
  readonly #cluster: Cluster;
  /** By pod uid: the first target that room was held on. */
  readonly #targets = new Map<string, ReservationTarget>();
  /** Claim → node, kept when the claim is gone. */
  readonly #nodes = new Map<string, string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    cluster.reservations.subscribe(({ after }) => {
      for (const { podUID } of after?.entries ?? []) {
        if (after === undefined || podUID === undefined || this.#targets.has(podUID)) continue;
        this.#targets.set(podUID, after.target);
      }
    });
    cluster.nodeClaims.subscribe(({ after }) => {
      if (after?.status.nodeName !== undefined) this.#nodes.set(after.name, after.status.nodeName);
    });
  }

  /** Whether the pod is bound to the node that it was planned for first; undefined when no room was ever held for it. */
  isWherePlanned({ uid, nodeName }: ObservedPod): boolean | undefined {
    const target = this.#targets.get(uid);
    if (target === undefined) return undefined;
    const planned = target.kind === 'Node' ? target.name : this.#nodes.get(target.name);
    return planned !== undefined && planned === nodeName && this.#cluster.nodes.get(planned) !== undefined;
  }
}
