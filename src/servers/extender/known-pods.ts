/** The pod that kube-scheduler asks about, as far as it is known already. */
import { decodeObservedPod } from '../../apis/kubernetes/pods/observed-pod.js';
import { podContext } from '../../apis/kubernetes/pods/pod-context.js';
import type { PlacementPod } from '../../planning/placement/placement-view.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { isOlder } from '../../domain/values/resource-version.js';
import { fieldOf, objectAt, nameAt, WireError, type WireObject } from './wire-fields.js';

export class KnownPods {
  readonly #cluster: Cluster;
  readonly #context = podContext();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * The watched pod, or the one in the request where that is news: kube-scheduler may have seen it before us.
   * @throws WireError when it cannot be read.
   */
  read(pod: WireObject): PlacementPod {
    const metadata = objectAt(fieldOf(pod, 'metadata'), 'Pod.metadata');
    const watched = this.#cluster.podByUID(nameAt(fieldOf(metadata, 'uid'), 'Pod.metadata.uid'));
    const version = fieldOf(metadata, 'resourceVersion');
    if (
      watched !== undefined &&
      !isOlder(watched.resourceVersion, typeof version === 'string' ? version : '')
    )
      return watched;
    const { value, findings } = decodeObservedPod(pod, this.#context);
    if (value !== undefined) return value;
    const [first] = findings;
    const why = first === undefined ? 'it has no name' : `${first.path.join('.')} ${first.text}`;
    throw new WireError(`Pod cannot be read: ${why}`);
  }
}
