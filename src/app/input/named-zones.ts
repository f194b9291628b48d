/** Where a set of documents is: the region and the zones that it names. */
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import { REGIONS, regionOfZones } from '../../clouds/aws/catalogue/index.js';
import { canonicalLabel, REGION, ZONE, type Labels } from '../../domain/values/labels.js';
import type { Node } from '../../domain/nodes/node.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { Requirement } from '../../domain/values/requirement.js';
import type { PersistentVolume, StorageClass } from '../../domain/pods/volume.js';

/** The objects that may name zones. */
export interface ZoneNaming {
  readonly pools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly pods: readonly Pod[];
}

/**
 * The regions named that have prices, the most named first (then by name). Pools decide; when they name none, what
 * exists does (nodes, volumes); when that names none, what pods ask for. Empty when nothing names any.
 */
export function namedRegions(naming: ZoneNaming): readonly string[] {
  for (const zones of [zonesOfPools, zonesOfWhatExists, zonesOfPods]) {
    const regions = byCount(zones(naming).flatMap((zone) => regionOfZones([zone]) ?? []));
    if (regions.length > 0) return regions;
  }
  return [];
}

/** Zones d to f of the region where pools, nodes or volumes name them: the catalogue's own are a to c. */
export function furtherZones(naming: ZoneNaming, region: string): ReadonlySet<string> {
  const named = [...zonesOfPools(naming), ...zonesOfWhatExists(naming)];
  return new Set(named.filter((zone) => ['d', 'e', 'f'].some((letter) => zone === region + letter)));
}

function zonesOfPools({ pools }: ZoneNaming): readonly string[] {
  return pools.flatMap(({ template }) => [
    ...template.requirements.flatMap(zonesOfRequirement),
    ...zonesOfLabels(template.labels),
  ]);
}

function zonesOfWhatExists({ nodes, persistentVolumes, storageClasses }: ZoneNaming): readonly string[] {
  return [
    ...nodes.flatMap(({ labels }) => zonesOfLabels(labels)),
    ...persistentVolumes.flatMap(({ nodeAffinity }) => (nodeAffinity ?? []).flatMap(zonesOfTerm)),
    ...storageClasses.flatMap(({ allowedTopologies }) => (allowedTopologies ?? []).flatMap(zonesOfTerm)),
  ];
}

function zonesOfPods({ pods }: ZoneNaming): readonly string[] {
  // Pods of one owner share their spec, and say where once.
  return [...new Set(pods.map(({ spec }) => spec))].flatMap(({ nodeSelector, nodeAffinity }) => [
    ...zonesOfLabels(nodeSelector),
    ...(nodeAffinity.required ?? []).flatMap(zonesOfTerm),
    ...nodeAffinity.preferred.flatMap(({ term }) => zonesOfTerm(term)),
  ]);
}

function zonesOfTerm({ labels }: NodeSelectorTerm): readonly string[] {
  return [...labels.values()].flatMap(zonesOfRequirement);
}

function zonesOfRequirement({ key, complement, values }: Requirement): readonly string[] {
  return complement ? [] : zonesIn(key, [...values]);
}

function zonesOfLabels(labels: Labels): readonly string[] {
  return [...labels].flatMap(([key, value]) => zonesIn(key, [value]));
}

/** A region stands for its first zone. */
function zonesIn(key: string, values: readonly string[]): readonly string[] {
  const label = canonicalLabel(key);
  if (label === REGION) return values.map((region) => `${region}a`);
  return label === ZONE ? values : [];
}

function byCount(regions: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const region of regions) {
    if (REGIONS.includes(region)) counts.set(region, (counts.get(region) ?? 0) + 1);
  }
  const ranked = [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
  return ranked.map(([region]) => region);
}
