/** Whether a claim of a column may be opened for a pod: its constraint, ports of DaemonSets, devices, topology, minValues. */
import { CAPACITY_TYPE, HOSTNAME, ZONE, ZONE_ID } from '../../domain/values/labels.js';
import type { Ask } from '../model/classes/ask.js';
import { NEW_HOST } from '../model/constraints/domains.js';
import type { Packing } from './packing.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { TopologyGroup } from '../model/classes/topology-groups.js';

/** Whether a column may be opened. */
export type Allows = (column: number) => boolean;

/** Keys whose domain follows from zone and capacity type; a new node is always a new host. */
const PLACE_KEYS: ReadonlySet<string> = new Set([ZONE, ZONE_ID, CAPACITY_TYPE, HOSTNAME]);

/** For columns of a template, while nothing is placed: topology is asked once per place. */
export function mayOpen(packing: Packing, pods: PodClass, ask: Ask, template: number): Allows {
  const { launchables, admission, daemonPorts } = packing.problem;
  const { counts, flexibility } = packing;
  const admitted = admission.columns(ask.constraint);
  const byPlace: (boolean | undefined)[] = [];
  const placeDecides = rulesOf(pods, ask).every(({ group }) => PLACE_KEYS.has(group.topologyKey));
  const topologyAllows = (column: number): boolean => {
    const place = launchables.columnPlace[column] ?? 0;
    const known = placeDecides ? byPlace[place] : undefined;
    return known ?? (byPlace[place] = counts.violated(pods, ask, { target: NEW_HOST, column }) === undefined);
  };
  const allows = (column: number): boolean =>
    admitted[column] === 1 &&
    daemonPorts.leaveFree(pods.hostPorts, column) &&
    packing.devices?.lacksOn(pods, column) === undefined &&
    topologyAllows(column) &&
    packing.brokenByOpening(pods, column) === undefined;
  if (!flexibility.setsMinValues(template)) return allows;
  const holding = { requests: pods.requests, asks: new Set([ask]), classes: [pods] };
  return (column) => allows(column) && flexibility.tooFew({ ...holding, column }) === undefined;
}

function rulesOf(pods: PodClass, ask: Ask): readonly { readonly group: TopologyGroup }[] {
  return [...ask.spread, ...ask.affinity, ...ask.antiAffinity, ...pods.repelledBy, ...pods.courtesies];
}
