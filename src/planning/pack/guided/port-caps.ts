/** Host ports as caps: one pod per machine of those that ask for the same port. */
import type { HostPort } from '../../../domain/pod.js';
import type { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { GuidedRules, HostCap } from './guided-rules.js';

export class PortCaps {
  /** Port and protocol → a number beyond those of the topology groups. */
  readonly #numbers = new Map<string, number>();
  readonly #first: number;

  constructor({ problem }: Packing) {
    this.#first = problem.topology.groups.length;
  }

  /**
   * The rules with a cap for each host port of the class. Pods that ask for one port at different addresses could share a
   * machine (NodePorts): that is stricter than asked. Undefined rules stay so, and so do those of pods that must share one.
   */
  add({ hostPorts }: PodClass, rules: GuidedRules | undefined): GuidedRules | undefined {
    if (rules === undefined || hostPorts.length === 0) return rules;
    if (rules.bundle !== undefined) return undefined;
    return { ...rules, hostCaps: [...rules.hostCaps, ...hostPorts.map((port) => this.#capOf(port))] };
  }

  #capOf({ port, protocol }: HostPort): HostCap {
    const key = `${protocol} ${String(port)}`;
    const number = this.#numbers.get(key) ?? this.#first + this.#numbers.size;
    this.#numbers.set(key, number);
    return { group: { index: number }, most: 1 };
  }
}
