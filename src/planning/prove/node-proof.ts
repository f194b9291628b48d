/** Whether every node, in every form that a claim may take, can have the pods that are planned for it. */
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import { append } from '../../domain/values/lists.js';
import { NODEPOOL } from '../../domain/values/labels.js';
import { type HostPort, hostPortsConflict, type PodSpec } from '../../domain/pods/pod.js';
import { allows } from '../../domain/values/requirement.js';
import { labelsSatisfy } from '../../domain/values/requirements.js';
import { firstUntolerated, type Taint } from '../../domain/values/taint.js';
import type { Form, FormSet } from './cluster/form-sets.js';
import type { Place, PlannedCluster, Stand } from './cluster/planned-cluster.js';
import type { SpecAsks } from './proof-memory.js';
import type { ProvenRule, Refutation } from './refutation.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { attachedVolume, volumeDemand } from '../snapshot/volume-index.js';
import { roomRows, slotsOn } from '../snapshot/volume-slots.js';

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
  /** Sums for one place after the other. */
  readonly #planned: Float64Array;
  readonly #bound: Float64Array;
  readonly #slots: ReadonlyMap<string, number>;
  #byPool: Map<string, Place[]> | undefined;

  constructor(cluster: PlannedCluster, asks: SpecAsks, room: object) {
    this.#cluster = cluster;
    this.#snapshot = cluster.snapshot;
    this.#asks = asks;
    this.#room = room;
    this.#planned = new Float64Array(this.#snapshot.resources.length);
    this.#bound = new Float64Array(this.#snapshot.resources.length);
    this.#slots = slotsOn(this.#snapshot.resources);
  }

  check(): readonly Refutation[] {
    for (const place of this.#cluster.places) {
      if (place.rows.length === 0) continue;
      for (const stand of this.#picky(place)) if (stand.placed.length > 0) this.#checkSpec(stand);
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
    const pods = (rows ?? place.rows).map((row) => this.#snapshot.pods.keys[row] ?? '');
    this.#found.push({ rule, pods, detail: `${place.name}: ${detail}` });
  }

  /** Pods that ask more of the node than room; where it has taints, all of them. */
  #picky(place: Place): readonly Stand[] {
    if (place.taints.length > 0) return place.stands;
    const { spec } = this.#snapshot.pods;
    const { picky, isAnyPicky } = this.#asks;
    if (!isAnyPicky) return NO_STANDS;
    for (const row of place.rows) if (picky[spec[row] ?? -1] === 1) return place.standsOf(picky);
    return NO_STANDS;
  }

  #checkSpec({ place, spec: index, placed }: Stand): void {
    const spec = this.#snapshot.specs[index];
    if (spec === undefined) return;
    const taint = untoleratedTaint(spec, place.taints);
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
    const { resources } = this.#snapshot;
    const room = this.#roomOn(place);
    // Amounts are whole numbers: their sums are exact.
    const planned = this.#requestsOf(place.rows, this.#planned);
    const bound = this.#requestsOf(place.boundRows, this.#bound);
    for (let at = 0; at < resources.length; at++) {
      const asked = planned[at] ?? 0;
      if (asked + (bound[at] ?? 0) <= (room[at] ?? 0) || (place.node >= 0 && asked === 0)) continue;
      this.#refute('resources', place, `${resources[at] ?? ''}: less than its pods request`);
      return;
    }
  }

  /** What all these pods request, in `into`; replicas, which mostly follow each other, are added up at once. */
  #requestsOf(rows: readonly number[], into: Float64Array): Float64Array {
    const { specRequests } = this.#snapshot;
    const { spec } = this.#snapshot.pods;
    const width = into.length;
    into.fill(0);
    for (let end = 0, first = 0; first < rows.length; first = end) {
      const own = spec[rows[first] ?? -1] ?? 0;
      for (end = first + 1; end < rows.length && spec[rows[end] ?? -1] === own; end++);
      for (let at = 0; at < width; at++)
        into[at] = (into[at] ?? 0) + (end - first) * (specRequests[own * width + at] ?? 0);
    }
    return into;
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
      const room = each.type === undefined ? new Float64Array(width) : roomRows(resources, [each.type]);
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
    if (spec === undefined || place.runs(daemonSet)) return false;
    return untoleratedTaint(spec, place.taints) === undefined && selectsForm(spec, form, nameOf(place));
  }

  /** What the plan adds to a node keeps to the attach limits of drivers (NodeVolumeLimits). */
  #checkAttachments(place: Place): void {
    const { specs, volumes } = this.#snapshot;
    if (this.#slots.size === 0 || !place.stands.some(({ spec }) => specs[spec]?.volumes.length !== 0)) return;
    const room = this.#roomOn(place);
    for (const [driver, axis] of this.#slots) {
      const limit = room[axis] ?? 0;
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

  /** A ReadWriteOncePod claim has one user (VolumeRestrictions), also among pods of nodes on which nothing is planned. */
  #checkExclusive(): void {
    const { specs, volumes, pods } = this.#snapshot;
    const users = new Map<string, Set<number>>();
    for (const index of this.#asks.withVolumes) {
      const attached = (specs[index]?.volumes ?? []).map((each) => attachedVolume(volumes, each));
      for (const { claim, readWriteOncePod } of attached)
        if (readWriteOncePod) users.set(claim, (users.get(claim) ?? new Set()).add(index));
    }
    for (const [claim, indices] of users) {
      let all = pods.spec.reduce(
        (sum, spec, row) => (indices.has(spec) && (pods.node[row] ?? -1) >= 0 ? sum + 1 : sum),
        0,
      );
      for (const { place, placed } of [...indices].flatMap((index) => this.#cluster.standsOf[index] ?? [])) {
        all += placed.length;
        if (placed.length > 0 && all > 1) this.#refute('volumes', place, `${claim} is in use`, placed);
      }
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
        append(this.#byPool, name, place);
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

const NO_STANDS: readonly Stand[] = [];

/** The limit that counts nodes. */
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

export function untoleratedTaint({ tolerations }: PodSpec, taints: readonly Taint[]): Taint | undefined {
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
