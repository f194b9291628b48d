/** Whether every node, in every form that a claim may take, can have the pods that are planned for it. */
import type { InstanceType } from '../../domain/instance-type.js';
import type { PodSpec } from '../../domain/pod.js';
import { hostPortsConflict, type HostPort } from '../../domain/pod.js';
import { NODEPOOL } from '../../domain/labels.js';
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import { labelsSatisfy } from '../../domain/requirements.js';
import { firstUntolerated, type Taint } from '../../domain/taint.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { attachedVolume, volumeDemand } from '../snapshot/volume-index.js';
import type { Form, Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { ProvenRule, Refutation } from './refutation.js';

/** What DaemonSets take of one form of node. */
interface Daemons {
  readonly requests: Float64Array;
  readonly ports: readonly HostPort[];
}

export class NodeProof {
  readonly #cluster: PlannedCluster;
  readonly #snapshot: Snapshot;
  readonly #found: Refutation[] = [];
  /** What specs ask of labels, in words → key of a form → whether it is let in. */
  readonly #admitted = new Map<string, Map<string, boolean>>();
  readonly #memos: (Map<string, boolean> | undefined)[] = [];
  readonly #daemons = new Map<string, Daemons>();
  readonly #rooms = new Map<InstanceType, Float64Array>();
  readonly #asks: readonly boolean[];
  readonly #running: ReadonlySet<number>;

  constructor(cluster: PlannedCluster) {
    this.#cluster = cluster;
    this.#snapshot = cluster.snapshot;
    this.#asks = this.#snapshot.specs.map(
      ({ nodeSelector, nodeAffinity, volumes }) =>
        nodeSelector.size > 0 || nodeAffinity.required !== undefined || volumes.length > 0,
    );
    const { pods, nodes } = this.#snapshot;
    const running = new Set<number>();
    for (const [row, daemonSet] of pods.daemonSet.entries())
      if (daemonSet >= 0 && (pods.node[row] ?? -1) >= 0)
        running.add(daemonSet * nodes.length + (pods.node[row] ?? 0));
    this.#running = running;
  }

  check(): readonly Refutation[] {
    for (const place of this.#cluster.places) {
      const specs = [...place.stands.values()].filter(({ placed }) => placed.length > 0);
      if (specs.length === 0) continue;
      if (place.forms.length === 0) this.#refute('answers', place, 'no offering of it can be launched');
      for (const { spec, placed } of specs) this.#checkSpec(place, spec, placed);
      this.#checkRoom(place);
      this.#checkAttachments(place);
    }
    this.#checkExclusive();
    this.#checkLimits();
    return this.#found;
  }

  #refute(rule: ProvenRule, place: Place, detail: string, rows?: readonly number[]): void {
    const all = rows ?? [...place.stands.values()].flatMap(({ placed }) => placed);
    const pods = all.map((row) => this.#snapshot.pods.keys[row] ?? '');
    this.#found.push({ rule, pods, detail: `${place.name}: ${detail}` });
  }

  #checkSpec(place: Place, index: number, placed: readonly number[]): void {
    const spec = this.#snapshot.specs[index];
    if (spec === undefined) return;
    const taint = repellingTaint(spec, place.taints);
    if (taint !== undefined) this.#refute('nodeRules', place, `taint ${taint.key}`, placed);
    const declared = this.#snapshot.nodes[place.node]?.declaredFeatures;
    if (place.node >= 0 && spec.requiredFeatures.some((feature) => declared?.has(feature) !== true))
      this.#refute('nodeRules', place, 'features', placed);
    if (this.#asks[index] !== true) return;
    if (!place.forms.every((form) => this.#admits(index, spec, place, form)))
      this.#refute('nodeRules', place, 'labels or volumes', placed);
  }

  #admits(index: number, spec: PodSpec, place: Place, form: Form): boolean {
    const memo = this.#memoOf(index, spec);
    const known = form.key === '' ? undefined : memo.get(form.key);
    if (known !== undefined) return known;
    const name = place.node < 0 ? undefined : place.name;
    const admitted = selectsForm(spec, form, name) && this.#volumesAllow(spec, form, name);
    if (form.key !== '') memo.set(form.key, admitted);
    return admitted;
  }

  /** Specs that ask the same of labels share what is known. */
  #memoOf(index: number, { nodeSelector, nodeAffinity, volumes }: PodSpec): Map<string, boolean> {
    const own = this.#memos[index];
    if (own !== undefined) return own;
    const isPlain = nodeAffinity.required === undefined && volumes.length === 0;
    const words = isPlain ? JSON.stringify([...nodeSelector]) : String(index);
    const memo = this.#admitted.get(words) ?? new Map<string, boolean>();
    this.#admitted.set(words, memo);
    this.#memos[index] = memo;
    return memo;
  }

  #volumesAllow({ volumes }: PodSpec, form: Form, name: string | undefined): boolean {
    return volumes.every((use) => {
      const demand = volumeDemand(this.#snapshot.volumes, use);
      if ('code' in demand) return false;
      return matchesSome(demand.terms, form, name) && matchesSome(demand.zones, form, name);
    });
  }

  /** Room on every form; forms of one type differ by the DaemonSets that they draw only. */
  #checkRoom(place: Place): void {
    const { needed, asked } = this.#demandOn(place);
    const { resources, specs, daemonSets } = this.#snapshot;
    const hasPorts = [...place.stands.keys()].some((spec) => (specs[spec]?.hostPorts.length ?? 0) > 0);
    let before: Form['type'];
    for (const form of place.forms) {
      if (daemonSets.length === 0 && form.type !== undefined && form.type === before) continue;
      before = form.type;
      const daemons = daemonSets.length === 0 ? undefined : this.#daemonsOn(place, form);
      const shortage = shortageOf(
        { needed, asked, room: this.#roomOf(place, form) },
        daemons?.requests,
        place,
      );
      if (shortage !== undefined) {
        this.#refute('resources', place, `${resources[shortage] ?? ''}: less than its pods request`);
        return;
      }
      if (hasPorts) this.#checkPorts(place, daemons?.ports ?? []);
    }
  }

  /** What all its pods request, and 1 for what those that are planned ask for: the rest was overdrawn before. */
  #demandOn({ stands }: Place): { readonly needed: Float64Array; readonly asked: Uint8Array } {
    const { resources, specRequests } = this.#snapshot;
    const width = resources.length;
    const needed = new Float64Array(width);
    const asked = new Uint8Array(width);
    for (const { spec, placed, bound } of stands.values()) {
      for (let at = 0; at < width; at++) {
        const request = specRequests[spec * width + at] ?? 0;
        needed[at] = (needed[at] ?? 0) + request * (placed.length + bound);
        if (request > 0 && placed.length > 0) asked[at] = 1;
      }
    }
    return { needed, asked };
  }

  #roomOf({ node }: Place, { type }: Form): Float64Array {
    const { resources, nodeAllocatable } = this.#snapshot;
    if (type === undefined)
      return nodeAllocatable.subarray(node * resources.length, (node + 1) * resources.length);
    const known = this.#rooms.get(type);
    if (known !== undefined) return known;
    const room = Float64Array.from(resources, (name) => type.allocatable.get(name) ?? 0);
    this.#rooms.set(type, room);
    return room;
  }

  #checkPorts(place: Place, ports: readonly HostPort[]): void {
    const { specs } = this.#snapshot;
    const taken = [...ports];
    for (const { spec, bound } of place.stands.values())
      if (bound > 0) taken.push(...(specs[spec]?.hostPorts ?? []));
    for (const { spec, placed } of place.stands.values()) {
      const own = specs[spec]?.hostPorts ?? [];
      if (own.length === 0 || placed.length === 0) continue;
      const isTaken = own.some((port) => taken.some((other) => hostPortsConflict(port, other)));
      if (isTaken || placed.length > 1) this.#refute('hostPorts', place, 'a port is taken', placed);
      taken.push(...own);
    }
  }

  #daemonsOn(place: Place, form: Form): Daemons {
    const known = form.key === '' ? undefined : this.#daemons.get(form.key);
    if (known !== undefined) return known;
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
    const made = { requests, ports };
    if (form.key !== '') this.#daemons.set(form.key, made);
    return made;
  }

  /** Whether a pod of the DaemonSet is still to come there. */
  #draws(place: Place, form: Form, daemonSet: number): boolean {
    const { daemonSets, nodes } = this.#snapshot;
    const spec = daemonSets[daemonSet]?.spec;
    if (spec === undefined) return false;
    if (place.node >= 0 && this.#running.has(daemonSet * nodes.length + place.node)) return false;
    const name = place.node < 0 ? undefined : place.name;
    return repellingTaint(spec, place.taints) === undefined && selectsForm(spec, form, name);
  }

  /** What the plan adds to a node keeps to the attach limits of drivers (NodeVolumeLimits). */
  #checkAttachments(place: Place): void {
    const limits = this.#snapshot.nodes[place.node]?.volumeLimits;
    if (limits === undefined || limits.size === 0) return;
    const { specs, volumes } = this.#snapshot;
    for (const [driver, limit] of limits) {
      const attached = (isPlaced: boolean): number => {
        const uses = [...place.stands.values()]
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
    const use = (claim: string, place: Place, { placed, bound }: Stand): void => {
      const all = (users.get(claim) ?? 0) + placed.length + bound;
      users.set(claim, all);
      if (placed.length > 0 && all > 1) this.#refute('volumes', place, `${claim} is in use`, placed);
    };
    for (const [index, spec] of specs.entries()) {
      const attached = spec.volumes.map((each) => attachedVolume(volumes, each));
      for (const { claim } of attached.filter(({ readWriteOncePod }) => readWriteOncePod))
        for (const place of this.#cluster.placesOf[index] ?? []) use(claim, place, place.stand(index));
    }
  }

  /** Limits hold even when every claim becomes the largest type that it lists. */
  #checkLimits(): void {
    for (const { pool, inFlight } of this.#snapshot.pools) {
      const claims = this.#cluster.places.filter(({ claim }) => claim?.nodePool === pool.name);
      if (claims.length === 0) continue;
      for (const [resource, limit] of pool.limits) {
        let used = this.#used(pool.name, resource) + (inFlight?.get(resource) ?? 0);
        const over = claims.find(({ forms }) => {
          const sizes = forms.map(({ type }) => type?.capacity.get(resource) ?? 0);
          used += resource === NODES ? 1 : Math.max(0, ...sizes);
          return used > limit;
        });
        if (over !== undefined) this.#refute('limits', over, `${resource} of NodePool ${pool.name}`);
      }
    }
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

interface Demand {
  readonly needed: Float64Array;
  /** 1 for what planned pods ask for. */
  readonly asked: Uint8Array;
  readonly room: Float64Array;
}

/** The first resource of which there is too little; on a node that exists, of those that planned pods ask for. */
function shortageOf(
  { needed, asked, room }: Demand,
  daemons: Float64Array | undefined,
  { node }: Place,
): number | undefined {
  for (let at = 0; at < needed.length; at++) {
    const amount = (needed[at] ?? 0) + (daemons?.[at] ?? 0);
    if (amount > (room[at] ?? 0) && amount > 0 && (node < 0 || asked[at] === 1)) return at;
  }
  return undefined;
}

export function repellingTaint({ tolerations }: PodSpec, taints: readonly Taint[]): Taint | undefined {
  return taints.length === 0 ? undefined : firstUntolerated(taints, tolerations);
}

/** nodeSelector and required node affinity (NodeAffinity); the name of a node yet to come matches nothing. */
export function selectsForm(
  { nodeSelector, nodeAffinity }: PodSpec,
  { labels }: Form,
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
