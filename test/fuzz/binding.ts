/**
 * kube-scheduler's filters for one pod at a time, over nodes that are all there from the start: whether a pod may be bound
 * where it is planned, given which others are bound already, and in which orders all of them can be.
 */
import { HOSTNAME } from '../../src/domain/values/labels.js';
import type { Model, ModelPod, Site, SpreadRule, TermRule } from './model.js';

/** A node that exists or will be launched. */
export interface Host {
  readonly site: Site;
  /** Unique among the hosts. */
  readonly name: string;
}

/** Which domains spread looks at: those of the hosts, as kube-scheduler does, or also those that could be launched. */
export type Domains = 'existing' | 'launchable';

export class Binding {
  readonly model: Model;
  readonly hosts: readonly Host[];
  /** Pod → index of its host, or -1. */
  readonly hostOf: readonly number[];
  readonly #isBound: boolean[];
  readonly #domains: Domains;

  constructor(model: Model, hosts: readonly Host[], hostOf: readonly number[], domains: Domains) {
    this.model = model;
    this.hosts = hosts;
    this.hostOf = hostOf;
    this.#domains = domains;
    this.#isBound = model.pods.map(({ boundTo }) => boundTo >= 0);
  }

  isBound(pod: number): boolean {
    return this.#isBound[pod] === true;
  }

  bind(pod: number): void {
    this.#isBound[pod] = true;
  }

  unbind(pod: number): void {
    this.#isBound[pod] = false;
  }

  /** Whether the rules between pods let this one be bound to its host now. */
  admits(pod: ModelPod): boolean {
    const host = this.hosts[this.hostOf[pod.index] ?? -1];
    if (host === undefined) return false;
    return (
      pod.spread.every((rule) => this.#isEven(rule, pod, host)) &&
      this.#isApart(pod, host) &&
      this.#hasCompany(pod, host)
    );
  }

  /** Pods that are not bound and have a host. */
  waiting(): readonly ModelPod[] {
    return this.model.pods.filter(({ index }) => !this.isBound(index) && (this.hostOf[index] ?? -1) >= 0);
  }

  #domain(host: Host, key: string): string | undefined {
    return key === HOSTNAME && host.site.node === undefined ? host.name : host.site.labels.get(key);
  }

  #domainOf(pod: ModelPod, key: string): string | undefined {
    const host = this.hosts[this.hostOf[pod.index] ?? -1];
    return host && this.#domain(host, key);
  }

  #isEven(rule: SpreadRule, pod: ModelPod, host: Host): boolean {
    const { topologyKey, maxSkew, minDomains } = rule.constraint;
    const here = this.#domain(host, topologyKey);
    if (here === undefined) return false;
    const domains = this.#counted(rule);
    const hasEmpty =
      domains.size < minDomains ||
      (this.#domains === 'launchable' && this.model.countsNewHosts && rule.hasNewHosts);
    const least = hasEmpty ? 0 : Math.min(...domains.values());
    const self = rule.counts[pod.index] === true ? 1 : 0;
    return (domains.get(here) ?? 0) + self - least <= maxSkew;
  }

  /** Pods that the rule counts, by domain. */
  #counted(rule: SpreadRule): Map<string, number> {
    const {
      constraint: { topologyKey },
      counts,
      eligible,
    } = rule;
    const domains = this.#domainsOf(rule);
    for (const other of this.model.pods) {
      if (!this.isBound(other.index) || counts[other.index] !== true) continue;
      const at = this.hosts[this.hostOf[other.index] ?? -1];
      if (at === undefined || eligible[at.site.index] !== true) continue;
      const value = this.#domain(at, topologyKey);
      if (value !== undefined) domains.set(value, (domains.get(value) ?? 0) + 1);
    }
    return domains;
  }

  /** The domains that the rule looks at, each with no pods yet. */
  #domainsOf({ constraint: { topologyKey }, eligible, launchable }: SpreadRule): Map<string, number> {
    const domains = new Map<string, number>();
    if (this.#domains === 'launchable') for (const value of launchable) domains.set(value, 0);
    for (const other of this.hosts) {
      const value = this.#domain(other, topologyKey);
      if (value !== undefined && eligible[other.site.index] === true) domains.set(value, 0);
    }
    return domains;
  }

  #isApart(pod: ModelPod, host: Host): boolean {
    const repels = ({ topologyKey, matches }: TermRule, from: ModelPod, to: ModelPod, other: ModelPod) => {
      if (matches[to.index] !== true) return false;
      const mine = this.#domain(host, topologyKey);
      return mine !== undefined && mine === this.#domainOf(other, topologyKey) && from !== to;
    };
    return this.model.pods.every(
      (other) =>
        !this.isBound(other.index) ||
        (!pod.anti.some((term) => repels(term, pod, other, other)) &&
          !other.anti.some((term) => repels(term, other, pod, other))),
    );
  }

  /** The first pod of a group that matches itself may go anywhere; all others to where a matching pod is. */
  #hasCompany(pod: ModelPod, host: Host): boolean {
    if (pod.affinity.length === 0) return true;
    const mine = pod.affinity.map(({ topologyKey }) => this.#domain(host, topologyKey));
    if (mine.includes(undefined)) return false;
    const found = this.model.pods.filter(
      ({ index }) => this.isBound(index) && pod.companions[index] === true,
    );
    const isAnywhere = found.some((other) =>
      pod.affinity.some(({ topologyKey }) => this.#domainOf(other, topologyKey) !== undefined),
    );
    if (!isAnywhere) return pod.companions[pod.index] === true;
    return pod.affinity.every(({ topologyKey }, at) =>
      found.some((other) => this.#domainOf(other, topologyKey) === mine[at]),
    );
  }
}

/** States looked at before the search for an order is given up. */
const MOST_STATES = 3_000;

/**
 * An order in which all pods that have a host can be bound, as indices of pods; undefined where there is none, or none was
 * found in time.
 */
export function findOrder(binding: Binding): readonly number[] | undefined {
  const pods = binding.waiting();
  const greedy = bindGreedily(binding, pods);
  if (greedy.length === pods.length) return greedy;
  for (const index of greedy) binding.unbind(index);
  const seen = new Set<string>();
  const order: number[] = [];
  const search = (): boolean => {
    const left = pods.filter(({ index }) => !binding.isBound(index));
    if (left.length === 0) return true;
    const state = left.map(({ index }) => index).join();
    if (seen.has(state) || seen.size >= MOST_STATES) return false;
    seen.add(state);
    const tried = new Set<string>();
    for (const pod of left) {
      const question = `${pod.sameAs} ${String(binding.hostOf[pod.index])}`;
      if (tried.has(question) || !binding.admits(pod)) continue;
      tried.add(question);
      binding.bind(pod.index);
      order.push(pod.index);
      if (search()) return true;
      order.pop();
      binding.unbind(pod.index);
    }
    return false;
  };
  return search() ? order : undefined;
}

/** Binds whatever may be bound, in the order given, again and again until nothing may. */
export function bindGreedily(
  binding: Binding,
  pods: readonly ModelPod[],
  mayTry: (pod: ModelPod) => boolean = () => true,
): number[] {
  const order: number[] = [];
  for (let before = -1; before < order.length;) {
    before = order.length;
    for (const pod of pods) {
      if (binding.isBound(pod.index) || !mayTry(pod) || !binding.admits(pod)) continue;
      binding.bind(pod.index);
      order.push(pod.index);
    }
  }
  return order;
}
