/** Pods on hosts while a solution is looked for: who is where, what each node would be and cost, what is left out. */
import { hostPortsConflict } from '../../src/domain/pods/pod.js';
import { Binding, findOrder, type Host } from './binding.js';
import { formsOf, isWithin, type Form } from './forms.js';
import type { Model, ModelPod, Site } from './model.js';

/** How good a solution is: pods left out by priority, highest first; then USD/h. */
export interface Score {
  readonly leftOut: readonly number[];
  readonly price: number;
}

/** Prices this close are the same, in USD/h. */
const SAME = 1e-9;

/** Negative when `left` is better. */
export function compareScores(left: Score, right: Score): number {
  for (const [index, count] of left.leftOut.entries()) {
    const difference = count - (right.leftOut[index] ?? 0);
    if (difference !== 0) return difference;
  }
  const difference = left.price - right.price;
  return Math.abs(difference) <= SAME ? 0 : difference;
}

/** A node that exists, or a group of sites of which one will be launched. */
interface Node extends Host {
  readonly group: number;
  readonly members: number[];
  /** What it is, or would be launched as. */
  site: Site;
  charge: Form['charge'];
}

/** Priorities of the pending pods, highest first. */
export function prioritiesOf({ pods }: Model): readonly number[] {
  const pending = pods.filter(({ boundTo }) => boundTo < 0);
  return [...new Set(pending.map(({ spec }) => spec.priority))].sort((left, right) => right - left);
}

export class PackingState {
  readonly model: Model;
  readonly nodes: Node[];
  readonly hostOf: number[];
  readonly #binding: Binding;
  readonly #priorities: readonly number[];
  #named = 0;

  constructor(model: Model) {
    this.model = model;
    this.nodes = model.sites
      .filter(({ node }) => node !== undefined)
      .map((site) => ({ site, charge: site.capacity, name: site.node ?? '', group: -1, members: [] }));
    this.hostOf = model.pods.map(({ boundTo }) => boundTo);
    for (const { index, boundTo } of model.pods) this.nodes[boundTo]?.members.push(index);
    this.#binding = new Binding(model, this.nodes, this.hostOf, 'launchable');
    this.#priorities = prioritiesOf(model);
  }

  /** A copy to be changed. */
  copy(): PackingState {
    const made = new PackingState(this.model);
    for (const node of this.nodes) {
      if (node.group < 0) continue;
      made.nodes.push({ ...node, members: [...node.members], name: made.#name() });
    }
    for (const [index, host] of this.hostOf.entries()) {
      if ((this.model.pods[index]?.boundTo ?? -1) >= 0) continue;
      made.hostOf[index] = host;
      if (host < 0) continue;
      made.#binding.bind(index);
      if ((this.nodes[host]?.group ?? 0) < 0) made.nodes[host]?.members.push(index);
    }
    return made;
  }

  #name(): string {
    this.#named += 1;
    return `launched-${String(this.#named)}`;
  }

  /** USD/h more when the pod joins the node; undefined when it cannot. */
  costOfJoining(pod: ModelPod, at: number): number | undefined {
    const node = this.nodes[at];
    if (node === undefined) return undefined;
    const form = this.#formFor(node.group, [...node.members, pod.index], at);
    if (form === undefined || !this.#admitsAt(pod, at)) return undefined;
    return form.site.price - node.site.price;
  }

  join(pod: ModelPod, at: number): void {
    const node = this.nodes[at];
    if (node === undefined) return;
    node.members.push(pod.index);
    Object.assign(node, this.#formFor(node.group, node.members, at));
    this.hostOf[pod.index] = at;
    this.#binding.bind(pod.index);
  }

  /** USD/h of a new node of the group for the pod; undefined when there can be none. */
  costOfOpening(pod: ModelPod, group: number): number | undefined {
    const form = this.#formFor(group, [pod.index], this.nodes.length);
    if (form === undefined) return undefined;
    this.nodes.push({ ...form, group, members: [], name: this.#name() });
    const isAdmitted = this.#admitsAt(pod, this.nodes.length - 1);
    this.nodes.pop();
    return isAdmitted ? form.site.price : undefined;
  }

  open(pod: ModelPod, group: number): void {
    const [site] = this.model.groups[group] ?? [];
    if (site === undefined) return;
    this.nodes.push({ site, charge: site.capacity, group, members: [], name: this.#name() });
    this.join(pod, this.nodes.length - 1);
  }

  /** Takes pods out, and nodes that are empty then. */
  remove(pods: ReadonlySet<number>): void {
    for (const pod of pods) {
      this.hostOf[pod] = -1;
      this.#binding.unbind(pod);
    }
    const kept: Node[] = [];
    for (const [at, node] of this.nodes.entries()) {
      const members = node.members.filter((index) => !pods.has(index));
      if (node.group >= 0 && members.length === 0) continue;
      for (const index of members) this.hostOf[index] = kept.length;
      const isSame = members.length === node.members.length;
      node.members.splice(0, Infinity, ...members);
      if (!isSame) Object.assign(node, this.#formFor(node.group, members, at));
      kept.push(node);
    }
    this.nodes.splice(0, Infinity, ...kept);
  }

  /** Takes out the pods of gangs of which too few are placed. */
  dropPartialGangs(): void {
    for (const { key, minMembers } of this.model.input.gangs ?? []) {
      const members = this.model.pods.filter(({ pod }) => pod.gang?.key === key && !pod.terminating);
      const placed = members.filter(({ index }) => (this.hostOf[index] ?? -1) >= 0);
      const pending = placed.filter(({ boundTo }) => boundTo < 0);
      if (placed.length < minMembers) this.remove(new Set(pending.map(({ index }) => index)));
    }
  }

  get score(): Score {
    const leftOut = this.#priorities.map(
      (priority) =>
        this.model.pods.filter(
          ({ index, spec }) => spec.priority === priority && (this.hostOf[index] ?? -1) < 0,
        ).length,
    );
    const price = this.nodes.reduce((sum, { site }) => sum + site.price, 0);
    return { leftOut, price };
  }

  /** Whether there is an order in which all its pods can be bound, with either view of the domains. */
  get canBeBound(): boolean {
    return (['existing', 'launchable'] as const).every(
      (domains) => findOrder(new Binding(this.model, this.nodes, this.hostOf, domains)) !== undefined,
    );
  }

  /** Every form that holds the pods, cheapest first: of the group, or the node that exists alone. */
  formsAt(group: number, members: readonly number[], node: Site): readonly Form[] {
    const isUnchanged = group < 0 && members.every((index) => (this.model.pods[index]?.boundTo ?? -1) >= 0);
    if (isUnchanged) return [{ site: node, charge: node.capacity }];
    const sites = group < 0 ? [node] : (this.model.groups[group] ?? []);
    return sites.flatMap((site) => this.#forms(site, members));
  }

  #admitsAt(pod: ModelPod, at: number): boolean {
    this.hostOf[pod.index] = at;
    const isAdmitted = this.#binding.admits(pod);
    this.hostOf[pod.index] = -1;
    return isAdmitted;
  }

  #formFor(group: number, members: readonly number[], at: number): Form | undefined {
    if (group < 0) {
      const site = this.nodes[at]?.site;
      return site === undefined ? undefined : this.#forms(site, members)[0];
    }
    for (const site of this.model.groups[group] ?? []) {
      const form = this.#forms(site, members).find((each) => this.#isWithinLimits(each, at));
      if (form !== undefined) return form;
    }
    return undefined;
  }

  #forms(site: Site, members: readonly number[]): readonly Form[] {
    if (!this.#hasRoom(site, members) || !this.#keepsVolumeRules(site, members)) return [];
    return formsOf(this.model, site, (other) => this.#hasRoom(other, members));
  }

  #hasRoom(site: Site, members: readonly number[]): boolean {
    const { pods, admitted } = this.model;
    const left = [...site.room];
    const ports = [...site.ports];
    for (const index of members) {
      const pod = pods[index];
      if (pod === undefined) return false;
      pod.requests.forEach((amount, at) => (left[at] = (left[at] ?? 0) - amount));
      if (pod.boundTo < 0) {
        if (admitted[index]?.[site.index] !== true) return false;
        // What nobody new asks for may be overdrawn on a node that exists.
        if (pod.requests.some((amount, at) => amount > 0 && (left[at] ?? 0) < 0)) return false;
        if (pod.spec.hostPorts.some((port) => ports.some((taken) => hostPortsConflict(port, taken))))
          return false;
      }
      ports.push(...pod.spec.hostPorts);
    }
    return true;
  }

  /** Attach limits of nodes; a volume for one pod alone is used by one. */
  #keepsVolumeRules(site: Site, members: readonly number[]): boolean {
    const { volumes, pods } = this.model;
    const uses = members.flatMap((index) => pods[index]?.spec.volumes ?? []);
    if (uses.length === 0) return true;
    for (const [driver, limit] of site.volumeLimits) {
      const attached = uses.filter((use) => volumes.resolve(use).driver === driver);
      if (new Set(attached.map(({ claim }) => claim)).size > limit) return false;
    }
    const exclusive = uses.filter((use) => volumes.resolve(use).readWriteOncePod);
    return exclusive.every((use) => {
      const users = pods.filter(
        ({ index, spec }) =>
          (members.includes(index) || (this.hostOf[index] ?? -1) >= 0) &&
          spec.volumes.some(({ claim }) => claim === use.claim),
      );
      return users.length <= 1;
    });
  }

  #isWithinLimits(form: Form, at: number): boolean {
    const { pool } = form.site;
    const offer = this.model.input.pools[pool];
    if (offer === undefined || offer.pool.limits.size === 0) return true;
    const others = this.nodes.filter((node, index) => index !== at && node.site.pool === pool);
    return isWithin(offer.pool.limits, [...others, form]);
  }
}
