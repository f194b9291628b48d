/** Which machines and zones a node constraint admits, apart from each other, as the optimizer asks. */
import type { NodeConstraint } from '../../model/constraints/node-constraint.js';
import type { Problem } from '../../model/problem.js';
import type { MachineTable } from './machine-table.js';

/** A constraint that splits: it admits exactly the machines marked, in the zones of the mask. */
export interface MachineSet {
  /** Number of the set, in the order in which they were asked for. */
  readonly index: number;
  /** Machine → 1 where it is admitted in some zone. */
  readonly machines: Uint8Array;
  /** Bit z is set where some machine is admitted in zone z. */
  readonly zoneMask: number;
}

/** Answers once per set of admitted columns. */
export class MachineSets {
  readonly #problem: Problem;
  readonly #table: MachineTable;
  readonly #known = new Map<Uint8Array, MachineSet | undefined>();
  readonly #parts = new Map<string, MachineSet>();
  #count = 0;

  constructor(problem: Problem, table: MachineTable) {
    this.#problem = problem;
    this.#table = table;
  }

  /** undefined for a constraint that admits some machines in some zones and others in others, and for one that admits nothing. */
  of(constraint: NodeConstraint): MachineSet | undefined {
    const admitted = this.#problem.admission.columns(constraint);
    if (this.#known.has(admitted)) return this.#known.get(admitted);
    const made = this.#split(admitted);
    this.#known.set(admitted, made);
    return made;
  }

  /** The part of a set that another one has, or has not, in common with it. */
  part(set: MachineSet, other: MachineSet, side: 'inside' | 'outside'): MachineSet {
    const key = `${String(set.index)} ${side} ${String(other.index)}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const wanted = side === 'inside' ? 1 : 0;
    const machines = new Uint8Array(set.machines.length);
    for (let machine = 0; machine < machines.length; machine++)
      machines[machine] = set.machines[machine] === 1 && other.machines[machine] === wanted ? 1 : 0;
    const made = { index: this.#count++, machines, zoneMask: set.zoneMask };
    this.#parts.set(key, made);
    return made;
  }

  #split(admitted: Uint8Array): MachineSet | undefined {
    const { count, zones, column } = this.#table;
    const machines = new Uint8Array(count);
    let zoneMask = 0;
    for (let machine = 0, index = 0; machine < count; machine++) {
      for (let zone = 0; zone < zones; zone++) {
        const each = column[index++] ?? -1;
        if (each < 0 || admitted[each] !== 1) continue;
        machines[machine] = 1;
        zoneMask |= 1 << zone;
      }
    }
    if (zoneMask === 0 || !this.#isExact(admitted, machines, zoneMask)) return undefined;
    return { index: this.#count++, machines, zoneMask };
  }

  /** Whether every machine marked is admitted wherever it is offered in the zones of the mask, and nothing else is. */
  #isExact(admitted: Uint8Array, machines: Uint8Array, zoneMask: number): boolean {
    const { count, zones, column } = this.#table;
    for (let machine = 0, index = 0; machine < count; machine++) {
      const zonesOfMachine = machines[machine] === 1 ? zoneMask : 0;
      for (let zone = 0; zone < zones; zone++) {
        const each = column[index++] ?? -1;
        if (each >= 0 && ((zonesOfMachine >> zone) & 1) !== admitted[each]) return false;
      }
    }
    return true;
  }
}
