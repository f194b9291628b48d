/** Which of the nodes that kube-scheduler found feasible a pod may have: the extender's verb `filter`. */
import { pinnedNode } from './pinned-node.js';
import type { PlacementNode, PlacementPod, PlacementView, PlannedPlace } from './placement-view.js';
import type { Refusal } from './refusal.js';

/** Nodes refused for one reason. */
export interface RefusedNodes {
  readonly refusal: Refusal;
  readonly nodeNames: readonly string[];
}

export interface FilterAnswer {
  /**
   * Names of the request, the very list where all of them pass. Those not here are in `refused`, or as good as those that are here
   * (`mostNodes`).
   */
  readonly nodeNames: readonly string[];
  readonly refused: readonly RefusedNodes[];
  /** The one node among them with room held on it: the pod has to be charged there. */
  readonly charge: ChargedPlace | undefined;
}

export interface ChargedPlace {
  readonly nodeName: string;
  /** By which the pod has its place there; undefined for a pod without a plan. */
  readonly reservation: string | undefined;
}

/**
 * A pod with a plan gets its node alone, or none. Any other pod gets every node on which no room is held, and at most
 * one on which some is: kube-scheduler picks among them without telling, so only one can be charged. A pod of a gang gets
 * none before the gang can be bound as a whole, and one whose plan holds in one order only none before its turn. A pod whose plan is
 * being written gets none before it is known where. DaemonSet pods, pinned to their node, pass and are charged there. For pods without a
 * plan nodes pass that are not known yet.
 * @param mostNodes that a pod without a plan and without preferences gets of those on which no room is held.
 */
export function filter(
  view: PlacementView,
  pod: PlacementPod,
  nodeNames: readonly string[],
  mostNodes = Infinity,
): FilterAnswer {
  const pinned = pinnedNode(pod);
  if (pinned !== undefined || pod.mirror)
    return { nodeNames, refused: [], charge: chargeOn(pinned, nodeNames) };
  if (view.waitsForGang(pod))
    return { nodeNames: [], refused: [{ refusal: 'gangWaits', nodeNames }], charge: undefined };
  if (view.waitsForOthers(pod))
    return { nodeNames: [], refused: [{ refusal: 'orderWaits', nodeNames }], charge: undefined };
  const places = view.placesOf(pod);
  if (places.length > 0) return filterPlanned({ view, pod, places }, nodeNames);
  return view.awaitsPlace(pod)
    ? { nodeNames: [], refused: [{ refusal: 'notReady', nodeNames }], charge: undefined }
    : filterUnplanned(view, pod, nodeNames, nodesToScore(pod, mostNodes));
}

/**
 * Whether `filter` would let the pod pass on all nodes of a request, and charge it nowhere, where none of them is restricted:
 * so their names need not be known.
 */
export function isFree(view: PlacementView, pod: PlacementPod): boolean {
  if (belongsToNode(pod) || view.waitsForGang(pod) || view.waitsForOthers(pod)) return false;
  return !view.awaitsPlace(pod) && view.placesOf(pod).length === 0;
}

/**
 * Whether kube-scheduler's choice among the nodes that pass depends on what the pod prefers: such nodes may be few, so that a pod with
 * preferences gets all. Spread that pods have by default (PodTopologySpread's defaultConstraints) is satisfied among any hundred nodes.
 */
export function hasPreferences({ spec }: PlacementPod): boolean {
  const { nodeAffinity, podAffinity, podAntiAffinity, spread } = spec;
  const preferred =
    nodeAffinity.preferred.length + podAffinity.preferred.length + podAntiAffinity.preferred.length;
  return preferred > 0 || spread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
}

/** How many nodes on which no room is held are left to a pod without a plan, where others get `most`. */
export function nodesToScore(pod: PlacementPod, most: number): number {
  return hasPreferences(pod) ? Infinity : most;
}

/** DaemonSet and mirror pods have one node, and do not wait for room that is held for others. */
export function belongsToNode(pod: PlacementPod): boolean {
  return pod.mirror || pinnedNode(pod) !== undefined;
}

function chargeOn(nodeName: string | undefined, nodeNames: readonly string[]): FilterAnswer['charge'] {
  return nodeName !== undefined && nodeNames.includes(nodeName)
    ? { nodeName, reservation: undefined }
    : undefined;
}

interface Planned {
  readonly view: PlacementView;
  readonly pod: PlacementPod;
  readonly places: readonly PlannedPlace[];
}

function filterPlanned({ view, pod, places }: Planned, nodeNames: readonly string[]): FilterAnswer {
  const place = places.find(
    (candidate) =>
      candidate.nodeName !== undefined &&
      nodeNames.includes(candidate.nodeName) &&
      view.admits(pod, candidate),
  );
  if (place?.nodeName === undefined) {
    const refusal = places.some(({ ready }) => !ready) ? 'notReady' : 'notOffered';
    return { nodeNames: [], refused: [{ refusal, nodeNames }], charge: undefined };
  }
  const { nodeName, reservation } = place;
  const others = nodeNames.filter((name) => name !== nodeName);
  return {
    nodeNames: [nodeName],
    refused: others.length === 0 ? [] : [{ refusal: 'plannedElsewhere', nodeNames: others }],
    charge: { nodeName, reservation },
  };
}

function filterUnplanned(
  view: PlacementView,
  pod: PlacementPod,
  nodeNames: readonly string[],
  most: number,
): FilterAnswer {
  const { restricted } = view;
  if (restricted.size === 0 || !nodeNames.some((name) => restricted.has(name)))
    return { nodeNames: atMost(nodeNames, most), refused: [], charge: undefined };
  const passing: string[] = [];
  const leaving: string[] = [];
  const guarded: PlacementNode[] = [];
  for (const name of nodeNames) {
    const node = restricted.has(name) ? view.node(name) : undefined;
    if (node === undefined) passing.push(name);
    else if (node.leaving) leaving.push(name);
    else guarded.push(node);
  }
  const open = atMost(passing, most);
  const refused: RefusedNodes[] = leaving.length > 0 ? [{ refusal: 'leaving', nodeNames: leaving }] : [];
  if (guarded.length === 0) return { nodeNames: open, refused, charge: undefined };
  const { chosen, reserved, daemonRoom } = sortGuarded(view, pod, guarded);
  if (reserved.length > 0) refused.push({ refusal: 'reserved', nodeNames: reserved });
  if (daemonRoom.length > 0) refused.push({ refusal: 'daemonRoom', nodeNames: daemonRoom });
  if (chosen === undefined) return { nodeNames: open, refused, charge: undefined };
  return { nodeNames: [...open, chosen], refused, charge: { nodeName: chosen, reservation: undefined } };
}

/** The first of them; the very list where they are no more. */
function atMost(names: readonly string[], most: number): readonly string[] {
  return names.length <= most ? names : names.slice(0, most);
}

interface SortedNodes {
  readonly chosen: string | undefined;
  readonly reserved: readonly string[];
  readonly daemonRoom: readonly string[];
}

/** Of the nodes with room to spare, the fullest is chosen, and the first by name among equals. */
function sortGuarded(view: PlacementView, pod: PlacementPod, nodes: readonly PlacementNode[]): SortedNodes {
  const reserved: string[] = [];
  const daemonRoom: string[] = [];
  let chosen: PlacementNode | undefined;
  for (const node of nodes) {
    const shortage = view.shortage(pod, node);
    if (shortage === 'daemonRoom') daemonRoom.push(node.name);
    else if (shortage === 'reserved') reserved.push(node.name);
    else if (chosen === undefined) chosen = node;
    else if (isBetter(node, chosen)) {
      reserved.push(chosen.name);
      chosen = node;
    } else reserved.push(node.name);
  }
  return { chosen: chosen?.name, reserved, daemonRoom };
}

function isBetter(left: PlacementNode, right: PlacementNode): boolean {
  return left.fullness === right.fullness ? left.name < right.name : left.fullness > right.fullness;
}
