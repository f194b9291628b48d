/** One planning problem, compiled: everything that does not change while pods are placed. */
import { HOSTNAME } from '../../domain/values/labels.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { Admission } from './constraints/admission.js';
import { heldByPods, type HeldByPod } from './held-by-pods.js';
import { comingDaemons, DaemonPorts, freeRoom, type ComingDaemon } from './launch/daemon-overhead.js';
import { ModelCache } from './model-cache.js';
import { Domains } from './constraints/domains.js';
import type { Launchables } from './launch/launchables.js';
import type { NodeView } from './constraints/node-constraint.js';
import type { PodClass } from './classes/pod-class.js';
import { lowerBound, netDemand } from './lower-bound.js';
import { resourcePrices } from './launch/resource-prices.js';
import type { RowPrices } from './launch/launchables-table.js';
import type { TopologyGroups } from './classes/topology-groups.js';

export interface Problem {
  readonly snapshot: Snapshot;
  readonly options: PlanOptions;
  readonly launchables: Launchables;
  readonly topology: TopologyGroups;
  readonly classes: readonly PodClass[];
  /** Class → the hostname-affinity group whose pods must all share one node with it, or -1. */
  readonly bundleOf: Int32Array;
  /** Nodes as constraints see them. */
  readonly nodeViews: readonly NodeView[];
  /** nodes × R: room left for pods. */
  readonly nodeFree: Float64Array;
  readonly coming: readonly ComingDaemon[];
  /** Bound pods that hold more than room: topology, ports, volumes. */
  readonly held: readonly HeldByPod[];
  readonly admission: Admission;
  readonly daemonPorts: DaemonPorts;
  readonly domains: Domains;
  /** Rows at their cheapest. */
  readonly rowPrices: RowPrices;
  /** R prices, USD/h per unit: what room is worth. */
  readonly worth: Float64Array;
  /** USD/h, for all pending pods that are not blocked: nothing that places them costs less. */
  readonly lowerBound: number;
}

/** Compiles; with the cache of the plans before, only what is new is looked at closely. */
export function compileProblem(snapshot: Snapshot, options: PlanOptions, cache = new ModelCache()): Problem {
  const { tables } = cache;
  const facts = tables.facts.of(snapshot.specs);
  const topology = tables.topology.compile(snapshot, facts);
  const classes = tables.classes.of({ snapshot, topology, facts, options });
  const { launchables, answers, labels, prices: rowPrices } = cache.launchables.of(snapshot);
  const nodeViews = cache.nodeViews(snapshot.nodes);
  const admission = new Admission(cache.nodeAnswers(nodeViews), answers);
  const coming = comingDaemons(snapshot, admission);
  const nodeFree = freeRoom(snapshot, coming);
  const placeable = classes.filter(({ blocked }) => blocked === undefined);
  const bounded = { snapshot, launchables, classes: placeable, admission, nodeFree, rowPrices };
  return {
    snapshot,
    options,
    launchables,
    topology,
    classes,
    bundleOf: Int32Array.from(classes, bundleOf),
    nodeViews,
    nodeFree,
    coming,
    held: heldByPods(snapshot, topology),
    admission,
    daemonPorts: new DaemonPorts(snapshot, admission),
    domains: new Domains(cache.nodeLabels(nodeViews), labels),
    rowPrices,
    worth: resourcePrices(netDemand(bounded, placeable), rowPrices.all).perUnit,
    lowerBound: lowerBound(bounded),
  };
}

/** Required hostname affinity to pods of one's own kind: they all end up on one node. */
function bundleOf({ asks }: PodClass): number {
  const last = asks.at(-1);
  if (!last?.startsAffinity) return -1;
  return last.affinity.find(({ group }) => group.topologyKey === HOSTNAME)?.group.index ?? -1;
}
