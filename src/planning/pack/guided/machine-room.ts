/**
 * What an empty machine may be filled with. Of a pool that sets minValues that is as much as enough other types hold beside
 * it, since its claim must be able to become any of them (Karpenter's "flexible" NodePools).
 */
import { SeenLabels } from '../../offerings/min-values-count.js';
import type { Flexibility } from '../../rules/flexibility.js';
import type { Launchables } from '../../model/launch/launchables.js';
import type { Packing } from '../../rules/packing.js';
import { rowOf } from '../../model/launch/room.js';
import type { MachineTable } from './machine-table.js';

/** Room given up for the sake of minValues, as parts of what the machine has: as little as will do, in these steps. */
const LOSSES = [0, 0.01, 0.03, 0.1, 0.25, 0.5];

/** machines × R; with a negative amount where the minValues of the pool cannot be kept. */
export function machineRoom({ problem, flexibility }: Packing, { count, row }: MachineTable): Float64Array {
  const { launchables, snapshot } = problem;
  const width = snapshot.resources.length;
  const room = new Float64Array(count * width);
  const shared = new SharedRoom(launchables, flexibility, width);
  for (let machine = 0; machine < count; machine++) room.set(shared.of(row[machine] ?? 0), machine * width);
  return room;
}

class SharedRoom {
  readonly #launchables: Launchables;
  readonly #flexibility: Flexibility;
  readonly #width: number;
  /** Row → what was found for it. */
  readonly #found = new Map<number, Float64Array>();

  constructor(launchables: Launchables, flexibility: Flexibility, width: number) {
    this.#launchables = launchables;
    this.#flexibility = flexibility;
    this.#width = width;
  }

  /** R amounts that a node of this row, and enough others of its pool, have free. */
  of(row: number): Float64Array {
    const { net, rowTemplate } = this.#launchables;
    const own = rowOf(net, this.#width, row);
    const template = rowTemplate[row]?.index ?? -1;
    if (!this.#flexibility.setsMinValues(template)) return own;
    const found = this.#found.get(row) ?? this.#shared(row, template, own.slice());
    this.#found.set(row, found);
    return found;
  }

  /** The room of the row narrowed to that of the nearest rows which bring values that are missing. */
  #shared(row: number, template: number, room: Float64Array): Float64Array {
    const { net, templateRows, rowColumns } = this.#launchables;
    const own = rowOf(net, this.#width, row);
    const counts = this.#flexibility.countsBeside(row);
    const seen = new SeenLabels(this.#flexibility.counted(template));
    seen.add(rowColumns[row]);
    for (const loss of LOSSES) {
      for (const other of templateRows[template] ?? []) {
        if (seen.areEnough) return room;
        const beside = rowOf(net, this.#width, other);
        if (!seen.misses(rowColumns[other]) || !holds(beside, own, 1 - loss) || !counts(other)) continue;
        seen.add(rowColumns[other]);
        beside.forEach((amount, resource) => (room[resource] = Math.min(room[resource] ?? 0, amount)));
      }
    }
    return seen.areEnough ? room : room.fill(-1);
  }
}

/** Whether one room is at least this part of another, of every resource. */
function holds(room: Float64Array, of: Float64Array, part: number): boolean {
  return of.every((amount, resource) => (room[resource] ?? 0) >= amount * part);
}
