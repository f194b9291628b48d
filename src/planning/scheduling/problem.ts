/** One planning problem, compiled: everything that does not change while pods are placed. */
import { HOSTNAME } from '../../domain/labels.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { Admission, type ColumnBlock } from './admission.js';
import { comingDaemons, DaemonPorts, freeRoom, type ComingDaemon } from './daemon-overhead.js';
import { Domains } from './domains.js';
import { compileLaunchables, type Launchables } from './launchables.js';
import type { NodeView } from './node-constraint.js';
import { compileClasses, type PodClass } from './pod-class.js';
import { lowerBound, netDemand, pricedRows } from './lower-bound.js';
import { resourcePrices } from './resource-prices.js';
import { compileTopologyGroups, type TopologyGroups } from './topology-groups.js';

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
  readonly admission: Admission;
  readonly daemonPorts: DaemonPorts;
  readonly domains: Domains;
  /** R prices, USD/h per unit: what room is worth. */
  readonly worth: Float64Array;
  /** USD/h, for all pending pods that are not blocked: nothing that places them costs less. */
  readonly lowerBound: number;
}

export function compileProblem(snapshot: Snapshot, options: PlanOptions): Problem {
  const launchables = compileLaunchables(snapshot);
  const topology = compileTopologyGroups(snapshot, options);
  const classes = compileClasses(snapshot, topology, options);
  const nodeViews = snapshot.nodes.map((node): NodeView => ({
    labels: node.labels,
    fields: new Map([['metadata.name', node.name]]),
    taints: node.taints,
    cordoned: node.unschedulable,
    features: node.declaredFeatures ?? NO_FEATURES,
  }));
  const coming = comingDaemons(snapshot, nodeViews);
  const nodeFree = freeRoom(snapshot, coming);
  const admission = new Admission(nodeViews, launchables.views, columnBlocks(launchables));
  const placeable = classes.filter(({ blocked }) => blocked === undefined);
  const rows = pricedRows(launchables, snapshot.resources.length, [...launchables.rowType.keys()]);
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
    admission,
    daemonPorts: new DaemonPorts(snapshot, admission),
    domains: new Domains(nodeViews, launchables.views),
    worth: resourcePrices(netDemand({ snapshot, admission, nodeFree }, placeable), rows).perUnit,
    lowerBound: lowerBound({ snapshot, launchables, classes: placeable, admission, nodeFree }),
  };
}

const NO_FEATURES: ReadonlySet<string> = new Set();

/** Required hostname affinity to pods of one's own kind: they all end up on one node. */
function bundleOf({ asks }: PodClass): number {
  const last = asks.at(-1);
  if (!last?.startsAffinity) return -1;
  return last.affinity.find(({ group }) => group.topologyKey === HOSTNAME)?.group.index ?? -1;
}

/** The columns of each template, with the labels that the template gives them all. */
function columnBlocks({ templates, templateRows, rowColumns }: Launchables): readonly ColumnBlock[] {
  return templates.flatMap(({ index, labels }) => {
    const rows = templateRows[index] ?? [];
    const first = rowColumns[rows[0] ?? -1]?.[0];
    const last = rowColumns[rows.at(-1) ?? -1]?.at(-1);
    return first === undefined || last === undefined ? [] : [{ labels, first, end: last + 1 }];
  });
}
