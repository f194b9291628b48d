/** Which AWS region a set of documents is about, told by the zones and regions that it names. */
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import { REGIONS, regionOfZones } from '../../catalogue/index.js';
import { canonicalLabel, REGION, ZONE, type Labels } from '../../domain/labels.js';
import type { Node } from '../../domain/node.js';
import type { NodePool } from '../../domain/node-pool.js';
import type { Pod } from '../../domain/pod.js';
import type { Requirement } from '../../domain/requirement.js';
import type { PersistentVolume, StorageClass } from '../../domain/volume.js';

/** The objects that may name zones. */
export interface ZoneNaming {
  readonly pools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly pods: readonly Pod[];
}

/**
 * The regions named that have prices, the most named first (then by name). Pools decide; when they name none, what exists does (nodes,
 * volumes); when that names none, what pods ask for. Empty when nothing names any.
 */
export function namedRegions(input: ZoneNaming): readonly string[] {
  const tiers: readonly (() => Iterable<string>)[] = [
    () => input.pools.flatMap(regionsOfPool),
    () => [
      ...input.nodes.flatMap((node) => regionsOfLabels(node.labels)),
      ...input.persistentVolumes.flatMap((volume) => (volume.nodeAffinity ?? []).flatMap(regionsOfTerm)),
      ...input.storageClasses.flatMap((each) => (each.allowedTopologies ?? []).flatMap(regionsOfTerm)),
    ],
    () => input.pods.flatMap(regionsOfPod),
  ];
  for (const tier of tiers) {
    const regions = byCount(tier());
    if (regions.length > 0) return regions;
  }
  return [];
}

function regionsOfPool({ template }: NodePool): readonly string[] {
  return [...template.requirements.flatMap(regionsOfRequirement), ...regionsOfLabels(template.labels)];
}

function regionsOfPod({ spec }: Pod): readonly string[] {
  const terms = [
    ...(spec.nodeAffinity.required ?? []),
    ...spec.nodeAffinity.preferred.map(({ term }) => term),
  ];
  return [...regionsOfLabels(spec.nodeSelector), ...terms.flatMap(regionsOfTerm)];
}

function regionsOfTerm(term: NodeSelectorTerm): readonly string[] {
  return [...term.labels.values()].flatMap(regionsOfRequirement);
}

function regionsOfLabels(labels: Labels): readonly string[] {
  return [...labels].flatMap(([key, value]) => regionsOfValues(key, [value]));
}

function regionsOfRequirement({ key, complement, values }: Requirement): readonly string[] {
  return complement ? [] : regionsOfValues(key, [...values]);
}

function regionsOfValues(key: string, values: readonly string[]): readonly string[] {
  const label = canonicalLabel(key);
  if (label !== ZONE && label !== REGION) return [];
  const zones = label === ZONE ? values : values.map((region) => `${region}a`);
  return zones.flatMap((zone) => regionOfZones([zone]) ?? []).filter((region) => REGIONS.includes(region));
}

function byCount(regions: Iterable<string>): readonly string[] {
  const counts = new Map<string, number>();
  for (const region of regions) counts.set(region, (counts.get(region) ?? 0) + 1);
  const ranked = [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
  return ranked.map(([region]) => region);
}
