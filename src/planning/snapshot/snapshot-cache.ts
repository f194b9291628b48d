/** What building snapshots remembers from one to the next; it changes how long they take, never what they say. */
import type { DaemonSet } from '../../domain/daemon-set.js';
import type { Node } from '../../domain/node.js';
import { podKey, type Pod } from '../../domain/pod.js';
import { NamespaceLabels } from './namespace-labels.js';
import { RememberedRows, ResourceAxis } from './resource-axis.js';
import { SortedObjects } from './sorted-objects.js';
import { SpecInterner } from './spec-interner.js';

/**
 * Objects are known by identity and must not change. Lists are remembered of the last snapshot alone; what is known of a
 * single object lives as long as the object does, and specs by content until they are more than twice those in use and
 * a few thousand.
 */
export class SnapshotCache {
  readonly nodes = new SortedObjects<Node>(({ name }) => name);
  readonly daemonSets = new SortedObjects<DaemonSet>(podKey);
  readonly pods = new SortedObjects<Pod>(podKey);
  readonly specs = new SpecInterner();
  readonly namespaces = new NamespaceLabels();
  readonly axis = new ResourceAxis();
  readonly specRows = new RememberedRows();
  readonly nodeRows = new RememberedRows();
}
