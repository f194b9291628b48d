/** Random pods: bound ones that are in the way, and pending ones with a few kinds of constraints each. */
import type { Manifest } from '../fixture/api/api-client.js';
import type { Chance } from './chance.js';
import type { Kind } from './kinds/kind.js';
import { NODE_KINDS } from './kinds/node-kinds.js';
import { PodDraft } from './pod-draft.js';
import { nodeName } from './random-nodes.js';
import { claimName, type ClaimState } from './random-storage.js';
import { RESOURCE_KINDS } from './kinds/resource-kinds.js';
import { TOPOLOGY_KINDS } from './kinds/topology-kinds.js';
import { HOSTNAME, namespaceSelector, podSelector, PORTS, PROTOCOLS, RACK, ZONE } from './vocabulary.js';
import { VOLUME_KINDS } from './kinds/volume-kinds.js';

/** Kinds that this minor of Kubernetes knows. */
export function kindsOf(minor: number): readonly Kind[] {
  const all = [...RESOURCE_KINDS, ...NODE_KINDS, ...TOPOLOGY_KINDS, ...VOLUME_KINDS];
  return all.filter(({ since = 0 }) => since <= minor);
}

export interface PendingPod {
  readonly draft: PodDraft;
  readonly kinds: ReadonlySet<Kind>;
}

export interface PendingOptions {
  readonly kinds: readonly Kind[];
  readonly count: number;
  /** How often a kind was at work so far; those that were it least lead in more of the pods. */
  readonly atWork: (kind: Kind) => number;
}

const EVERYTHING = ['dedicated', 'maintenance'].map((key) => ({ key, operator: 'Exists' }));

/** Pods with a leading kind each, and some of the others. */
export function randomPendingPods(
  chance: Chance,
  { kinds, count, atWork }: PendingOptions,
): readonly PendingPod[] {
  const everywhere = kinds.filter(({ add }) => add === undefined);
  const addable = kinds
    .filter(({ add }) => add !== undefined)
    .sort((left, right) => atWork(left) - atWork(right));
  const companions = addable.filter((kind) => kind.global !== true);
  const rare = addable.slice(0, 7);
  return Array.from({ length: count }, (_, index) => {
    const draft = new PodDraft(chance, `pending-${String(index)}`);
    const leading = chance.one(chance.often(0.85) ? rare : addable);
    const chosen = new Set([leading, ...chance.some(companions, chance.number(1, 4))]);
    for (const { add } of chosen) add?.(draft, chance);
    if (draft.tolerations.length === 0 && chance.often(0.75)) draft.tolerations.push(...EVERYTHING);
    return { draft, kinds: new Set([...everywhere, ...chosen]) };
  });
}

/** What is to happen to a bound pod once it is there. */
export type Fate = 'runs' | 'terminates' | 'has finished' | 'is resized';

export interface BoundPod {
  readonly manifest: Manifest;
  readonly fate: Fate;
}

/** Pods on the first `nodes` nodes; some of their volumes are in use once only. */
export function randomBoundPods(chance: Chance, nodes: number, count: number): readonly BoundPod[] {
  return Array.from({ length: count }, (_, index) => {
    const draft = new PodDraft(chance, `bound-${String(index)}`);
    draft.more['nodeName'] = nodeName(chance.number(0, nodes - 1));
    addRoom(draft, chance);
    if (chance.often(0.4)) addPort(draft, chance);
    if (chance.often(0.1)) addAntiAffinity(draft, chance);
    if (chance.often(0.4)) addVolumes(draft, chance);
    return { manifest: draft.manifest(), fate: fateOf(chance) };
  });
}

function fateOf(chance: Chance): Fate {
  if (chance.often(0.1)) return 'terminates';
  if (chance.often(0.06)) return 'has finished';
  return chance.often(0.06) ? 'is resized' : 'runs';
}

function addRoom({ container: { resources }, ...draft }: PodDraft, chance: Chance): void {
  const { requests } = resources;
  if (chance.often(0.7)) requests['cpu'] = chance.one(['250m', '500m', '1100m', '2']);
  if (chance.often(0.6)) requests['memory'] = chance.one(['512Mi', '1Gi', '3G']);
  if (chance.often(0.1)) draft.more['runtimeClassName'] = 'heavy';
}

function addPort(draft: PodDraft, chance: Chance): void {
  const containerPort = chance.one(PORTS);
  const hostIP = chance.one(['10.0.0.1', '10.0.0.2', '']);
  const port = { containerPort, hostPort: containerPort, hostIP, protocol: chance.one(PROTOCOLS) };
  if (chance.often(0.8)) {
    draft.addPort(port);
    return;
  }
  draft.addInitContainer({ cpu: '100m' }, chance.often(0.5) ? 'Always' : undefined);
  draft.initContainers[0]?.ports.push(port);
}

function addAntiAffinity(draft: PodDraft, chance: Chance): void {
  draft.podAntiAffinity.push({
    topologyKey: chance.one([ZONE, RACK, HOSTNAME, HOSTNAME]),
    ...(chance.often(0.7)
      ? { labelSelector: podSelector(chance) }
      : {
          labelSelector: { matchLabels: { app: chance.one(['a', 'b', 'c', 'd']) } },
          matchLabelKeys: ['version'],
        }),
    ...(chance.often(0.4) && { namespaceSelector: namespaceSelector(chance) }),
  });
}

function addVolumes(draft: PodDraft, chance: Chance): void {
  const states: readonly ClaimState[] = chance.often(0.12)
    ? ['once']
    : chance.some(['anywhere', 'zonal', 'wait', 'wait-in-tree', 'terminating', 'lost'], 2);
  for (const state of states) draft.addClaim(claimName(chance, state));
}
