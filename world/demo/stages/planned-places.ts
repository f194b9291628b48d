/** Where Berth planned each pod first, as its Reservations tell: what "bound where planned" is judged by. */
import type { ObservedPod } from '../../../src/domain/observed-pod.js';
import type { ReservationTarget } from '../../../src/domain/reservation.js';
import type { Cluster } from '../../../src/state/cluster.js';

export class PlannedPlaces {
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
