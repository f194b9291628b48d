/** Whether every node, in every form that a claim may take, can have the pods that are planned for it. */
import type { PodSpec } from '../../domain/pod.js';
import { hostPortsConflict, type HostPort } from '../../domain/pod.js';
import { NODEPOOL } from '../../domain/labels.js';
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import { allows } from '../../domain/requirement.js';
import { labelsSatisfy } from '../../domain/requirements.js';
import { firstUntolerated, type Taint } from '../../domain/taint.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { attachedVolume, volumeDemand } from '../snapshot/volume-index.js';
import type { Form, FormSet } from './form-sets.js';
import type { Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { SpecAsks } from './proof-memory.js';
import type { ProvenRule, Refutation } from './refutation.js';

/** What DaemonSets take of one form of node. */
interface Daemons {
  readonly requests: Float64Array;
  readonly ports: readonly HostPort[];
}

export class NodeProof {
  readonly #cluster: PlannedCluster;
  readonly #snapshot: Snapshot;
  readonly #asks: SpecAsks;
  /** Stands for what new nodes have room for. */
  readonly #room: object;
  readonly #found: Refutation[] = [];
  #byPool: Map<string, Place[]> | undefined;

  constructor(cluster: PlannedCluster, asks: SpecAsks, room: object) {
    this.#cluster = cluster;
    this.#snapshot = cluster.snapshot;
    this.#asks = asks;
    this.#room = room;
  }

  check(): readonly Refutation[] {
    for (const place of this.#cluster.places) {
      let isPlaced = false;
      for (const stand of place.stands) {
        if (stand.placed.length === 0) continue;
        isPlaced = true;
        this.#checkSpec(stand);
      }
      if (!isPlaced) continue;
      if (place.set.forms.length === 0) this.#refute('answers', place, 'no offering of it can be launched');
      this.#checkRoom(place);
      if (this.#asks.withPorts) this.#checkPorts(place);
      this.#checkAttachments(place);
    }
    this.#checkExclusive();
    this.#checkLimits();
    return this.#found;
  }

  #refute(rule: ProvenRule, place: Place, detail: string, rows?: readonly number[]): void {
    const all = rows ?? place.stands.flatMap(({ placed }) => placed);
    const pods = all.map((row) => this.#snapshot.pods.keys[row] ?? '');
    this.#found.push({ rule, pods, detail: `${place.name}: ${detail}` });
  }

  #checkSpec({ place, spec: index, placed }: Stand): void {
    const spec = this.#snapshot.specs[index];
    if (spec === undefined) return;
    const taint = repellingTaint(spec, place.taints);
    if (taint !== undefined) this.#refute('nodeRules', place, `taint ${taint.key}`, placed);
    if (place.node >= 0 && spec.requiredFeatures.length > 0) {
      const declared = this.#snapshot.nodes[place.node]?.declaredFeatures;
      if (spec.requiredFeatures.some((feature) => declared?.has(feature) !== true))
        this.#refute('nodeRules', place, 'features', placed);
    }
    const rules = this.#asks.nodeRules[index] ?? -1;
    if (rules >= 0 && !place.set.passes(rules, (set) => selectsAll(spec, set, nameOf(place))))
      this.#refute('nodeRules', place, 'labels', placed);
    if (spec.volumes.length > 0 && !this.#volumesAllow(spec, place))
      this.#refute('nodeRules', place, 'volumes', placed);
  }

  #volumesAllow({ volumes }: PodSpec, place: Place): boolean {
    return volumes.every((use) => {
      const demand = volumeDemand(this.#snapshot.volumes, use);
      if ('code' in demand) return false;
      return [demand.terms, demand.zones].every((terms) => matchesAnywhere(terms, place.set, nameOf(place)));
    });
  }

  /** Room on every form; on a node that exists, of what the planned pods ask for: the rest was overdrawn before. */
  #checkRoom(place: Place): void {
    const { resources, specRequests } = this.#snapshot;
    const width = resources.length;
    const room = this.#roomOn(place);
    for (let at = 0; at < width; at++) {
      let needed = 0;
      let isAsked = place.node < 0;
      for (const { spec, placed, bound } of place.stands) {
        const request = specRequests[spec * width + at] ?? 0;
        needed += request * (placed.length + bound);
        if (request > 0 && placed.length > 0) isAsked = true;
      }
      if (needed <= (room[at] ?? 0) || !isAsked) continue;
      this.#refute('resources', place, `${resources[at] ?? ''}: less than its pods request`);
      return;
    }
  }

  /** What DaemonSets leave. */
  #roomOn(place: Place): Float64Array {
    const { resources, nodeAllocatable } = this.#snapshot;
    const width = resources.length;
    const [form] = place.set.forms;
    if (place.node >= 0 && form !== undefined) {
      const room = nodeAllocatable.slice(place.node * width, (place.node + 1) * width);
      return less(room, this.#daemonsOn(place, form).requests);
    }
    return place.set.leastRoom(width, this.#room, (each) => {
      const room = Float64Array.from(resources, (name) => each.type?.allocatable.get(name) ?? 0);
      return less(room, this.#daemonsOn(place, each).requests);
    });
  }

  #checkPorts(place: Place): void {
    const { specs } = this.#snapshot;
    const isOpen = ({ spec, placed }: Stand): boolean =>
      placed.length > 0 && (specs[spec]?.hostPorts.length ?? 0) > 0;
    if (!place.stands.some(isOpen)) return;
    for (const form of place.set.forms) {
      const before = this.#found.length;
      this.#checkPortsOn(place, this.#daemonsOn(place, form).ports);
      if (this.#found.length > before) return;
    }
  }

  #checkPortsOn(place: Place, ports: readonly HostPort[]): void {
    const { specs } = this.#snapshot;
    const taken = [...ports];
    for (const { spec, bound } of place.stands) if (bound > 0) taken.push(...(specs[spec]?.hostPorts ?? []));
    for (const { spec, placed } of place.stands) {
      const own = specs[spec]?.hostPorts ?? [];
      if (own.length === 0 || placed.length === 0) continue;
      const isTaken = own.some((port) => taken.some((other) => hostPortsConflict(port, other)));
      if (isTaken || placed.length > 1) this.#refute('hostPorts', place, 'a port is taken', placed);
      taken.push(...own);
    }
  }

  #daemonsOn(place: Place, form: Form): Daemons {
    const { daemonSets, daemonRequests, resources } = this.#snapshot;
    const width = resources.length;
    const requests = new Float64Array(width);
    const ports: HostPort[] = [];
    for (const [index, { spec }] of daemonSets.entries()) {
      if (!this.#draws(place, form, index)) continue;
      for (let at = 0; at < width; at++)
        requests[at] = (requests[at] ?? 0) + (daemonRequests[index * width + at] ?? 0);
      ports.push(...spec.hostPorts);
    }
    return { requests, ports };
  }

  /** Whether a pod of the DaemonSet is still to come there. */
  #draws(place: Place, form: Form, daemonSet: number): boolean {
    const spec = this.#snapshot.daemonSets[daemonSet]?.spec;
    if (spec === undefined || place.daemons.includes(daemonSet)) return false;
    return repellingTaint(spec, place.taints) === undefined && selectsForm(spec, form, nameOf(place));
  }

  /** What the plan adds to a node keeps to the attach limits of drivers (NodeVolumeLimits). */
  #checkAttachments(place: Place): void {
    const limits = this.#snapshot.nodes[place.node]?.volumeLimits;
    if (limits === undefined || limits.size === 0) return;
    const { specs, volumes } = this.#snapshot;
    for (const [driver, limit] of limits) {
      const attached = (isPlaced: boolean): number => {
        const uses = place.stands
          .filter(({ placed, bound }) => (isPlaced ? placed.length + bound : bound) > 0)
          .flatMap(({ spec }) => specs[spec]?.volumes ?? []);
        const ofDriver = uses.filter((use) => attachedVolume(volumes, use).driver === driver);
        return new Set(ofDriver.map(({ claim }) => claim)).size;
      };
      const after = attached(true);
      if (after > limit && after > attached(false)) this.#refute('volumes', place, `${driver} volumes`);
    }
  }

  /** A ReadWriteOncePod claim has one user (VolumeRestrictions). */
  #checkExclusive(): void {
    const { specs, volumes } = this.#snapshot;
    const users = new Map<string, number>();
    const use = (claim: string, { place, placed, bound }: Stand): void => {
      const all = (users.get(claim) ?? 0) + placed.length + bound;
      users.set(claim, all);
      if (placed.length > 0 && all > 1) this.#refute('volumes', place, `${claim} is in use`, placed);
    };
    for (const index of this.#asks.withVolumes) {
      const attached = (specs[index]?.volumes ?? []).map((each) => attachedVolume(volumes, each));
      for (const { claim } of attached.filter(({ readWriteOncePod }) => readWriteOncePod))
        for (const stand of this.#cluster.standsOf[index] ?? []) use(claim, stand);
    }
  }

  /** Limits hold even when every claim becomes the largest type that it lists. */
  #checkLimits(): void {
    for (const { pool, inFlight } of this.#snapshot.pools) {
      if (pool.limits.size === 0) continue;
      const claims = this.#claimsOf(pool.name);
      if (claims.length === 0) continue;
      for (const [resource, limit] of pool.limits) {
        let used = this.#used(pool.name, resource) + (inFlight?.get(resource) ?? 0);
        const over = claims.find(({ set }) => {
          used += resource === NODES ? 1 : set.most(resource);
          return used > limit;
        });
        if (over !== undefined) this.#refute('limits', over, `${resource} of NodePool ${pool.name}`);
      }
    }
  }

  #claimsOf(pool: string): readonly Place[] {
    if (this.#byPool === undefined) {
      this.#byPool = new Map();
      for (const place of this.#cluster.places) {
        const name = place.claim?.nodePool;
        if (name === undefined) continue;
        const known = this.#byPool.get(name);
        if (known === undefined) this.#byPool.set(name, [place]);
        else known.push(place);
      }
    }
    return this.#byPool.get(pool) ?? [];
  }

  /** Capacity of the pool's nodes that exist. */
  #used(pool: string, resource: string): number {
    const nodes = this.#snapshot.nodes.filter(({ labels }) => labels.get(NODEPOOL) === pool);
    return nodes.reduce(
      (sum, { capacity }) => sum + (resource === NODES ? 1 : (capacity.get(resource) ?? 0)),
      0,
    );
  }
}

/** The limit that counts machines. */
const NODES = 'nodes';

function nameOf({ node, name }: Place): string | undefined {
  return node < 0 ? undefined : name;
}

function less(room: Float64Array, taken: Float64Array): Float64Array {
  for (let at = 0; at < room.length; at++) room[at] = (room[at] ?? 0) - (taken[at] ?? 0);
  return room;
}

/** Whether nodeSelector and required node affinity let pods on every form. */
function selectsAll(
  { nodeSelector, nodeAffinity: { required } }: PodSpec,
  set: FormSet,
  name: string | undefined,
): boolean {
  for (const [key, value] of nodeSelector) if (set.values(key).some((other) => other !== value)) return false;
  const [term] = required ?? [];
  if (term === undefined || required?.length !== 1 || term.fields.size > 0)
    return required === undefined || set.forms.every((form) => matchesSome(required, form, name));
  const asked = [...term.labels.values()];
  return (
    asked.length > 0 && asked.every((item) => set.values(item.key).every((value) => allows(item, value)))
  );
}

/** Whether one of the terms matches every form. Volumes mostly name the zone only: then each zone is asked once. */
function matchesAnywhere(
  terms: readonly NodeSelectorTerm[] | undefined,
  set: FormSet,
  name: string | undefined,
): boolean {
  if (terms === undefined) return true;
  const keys = new Set(terms.flatMap(({ labels }) => [...labels.keys()]));
  const [key] = keys;
  if (key === undefined || keys.size > 1) return set.forms.every((form) => matchesSome(terms, form, name));
  return set.values(key).every((value) => {
    const labels = { get: (asked: string) => (asked === key ? value : undefined) };
    return matchesSome(terms, { labels }, name);
  });
}

export function repellingTaint({ tolerations }: PodSpec, taints: readonly Taint[]): Taint | undefined {
  return taints.length === 0 ? undefined : firstUntolerated(taints, tolerations);
}

/** nodeSelector and required node affinity (NodeAffinity); the name of a node yet to come matches nothing. */
export function selectsForm(
  { nodeSelector, nodeAffinity }: PodSpec,
  { labels }: Pick<Form, 'labels'>,
  name?: string,
): boolean {
  for (const [key, value] of nodeSelector) if (labels.get(key) !== value) return false;
  return matchesSome(nodeAffinity.required, { labels }, name);
}

function matchesSome(
  terms: readonly NodeSelectorTerm[] | undefined,
  { labels }: Pick<Form, 'labels'>,
  name: string | undefined,
): boolean {
  if (terms === undefined) return true;
  const fields = { get: (key: string) => (key === 'metadata.name' ? name : undefined) };
  return terms.some(
    (term) =>
      term.labels.size + term.fields.size > 0 &&
      labelsSatisfy(term.labels, labels) &&
      labelsSatisfy(term.fields, fields),
  );
}
