/**
 * The relaxation over some of its instances as a linear program: how many of each to buy, and what of each class to put
 * into them. Its normal equations are small once the classes' rows are eliminated, no two of which meet in a column.
 */
import { factorize } from './cholesky.js';
import type { LinearProgram } from './interior-point.js';
import { at, type Relaxation } from './relaxation.js';

/** Where the blocks of columns and rows begin. Columns: instances, fills, room left, pods left out, limits left. */
interface Layout {
  /** Fill → its class, and its instance's position in the program. */
  readonly fillClass: Int32Array;
  readonly fillInstance: Int32Array;
  readonly fill: number;
  readonly room: number;
  readonly out: number;
  readonly limit: number;
  readonly columns: number;
  /** Rows: classes, then instance × resource, then limits. */
  readonly roomRow: number;
  readonly limitRow: number;
  readonly rows: number;
}

/** The program over these instances; a pod left out costs `penalty`, in USD/h. */
export function coveringProgram(
  of: Relaxation,
  instances: readonly number[],
  penalty: number,
): LinearProgram {
  const layout = layOut(of, instances);
  const cost = new Float64Array(layout.columns);
  instances.forEach((instance, column) => (cost[column] = at(of.instances.price, instance)));
  cost.fill(penalty, layout.out, layout.limit);
  const right = new Float64Array(layout.rows);
  right.set(of.classes.pods);
  right.set(of.limits, layout.limitRow);
  const parts = { of, instances, layout };
  return {
    cost,
    right,
    times: (values) => times(parts, values),
    transposed: (duals) => transposed(parts, duals),
    factor: (diagonal) => factor(parts, diagonal),
  };
}

interface Parts {
  readonly of: Relaxation;
  readonly instances: readonly number[];
  readonly layout: Layout;
}

function layOut({ classes, admits, resources, limits }: Relaxation, instances: readonly number[]): Layout {
  const pairs: (readonly [number, number])[] = [];
  for (let index = 0; index < classes.count; index++)
    instances.forEach((instance, position) => {
      if (admits[instance * classes.count + index] === 1) pairs.push([index, position]);
    });
  const rooms = instances.length * resources;
  const room = instances.length + pairs.length;
  const out = room + rooms;
  const limit = out + classes.count;
  return {
    fillClass: Int32Array.from(pairs, ([index]) => index),
    fillInstance: Int32Array.from(pairs, ([, position]) => position),
    fill: instances.length,
    room,
    out,
    limit,
    columns: limit + limits.length,
    roomRow: classes.count,
    limitRow: classes.count + rooms,
    rows: classes.count + rooms + limits.length,
  };
}

function times({ of, instances, layout }: Parts, values: Float64Array): Float64Array {
  const { resources, classes, limits } = of;
  const result = new Float64Array(layout.rows);
  const add = (row: number, amount: number): void => {
    result[row] = at(result, row) + amount;
  };
  for (let fill = 0; fill < layout.fillClass.length; fill++) {
    const [index, position] = [at(layout.fillClass, fill), at(layout.fillInstance, fill)];
    const amount = at(values, layout.fill + fill);
    add(index, amount);
    for (let resource = 0; resource < resources; resource++)
      add(
        layout.roomRow + position * resources + resource,
        amount * at(classes.requests, index * resources + resource),
      );
  }
  instances.forEach((instance, position) => {
    for (let resource = 0; resource < resources; resource++) {
      const room = position * resources + resource;
      const capacity = at(of.instances.capacity, instance * resources + resource);
      add(layout.roomRow + room, at(values, layout.room + room) - capacity * at(values, position));
    }
    for (let limit = 0; limit < limits.length; limit++)
      add(
        layout.limitRow + limit,
        at(of.instances.charge, instance * limits.length + limit) * at(values, position),
      );
  });
  for (let index = 0; index < classes.count; index++) add(index, at(values, layout.out + index));
  for (let limit = 0; limit < limits.length; limit++)
    add(layout.limitRow + limit, at(values, layout.limit + limit));
  return result;
}

function transposed({ of, instances, layout }: Parts, duals: Float64Array): Float64Array {
  const { resources, classes, limits } = of;
  const result = new Float64Array(layout.columns);
  for (let fill = 0; fill < layout.fillClass.length; fill++) {
    const [index, position] = [at(layout.fillClass, fill), at(layout.fillInstance, fill)];
    let value = at(duals, index);
    for (let resource = 0; resource < resources; resource++)
      value +=
        at(classes.requests, index * resources + resource) *
        at(duals, layout.roomRow + position * resources + resource);
    result[layout.fill + fill] = value;
  }
  instances.forEach((instance, position) => {
    let value = 0;
    for (let resource = 0; resource < resources; resource++) {
      const dual = at(duals, layout.roomRow + position * resources + resource);
      value -= at(of.instances.capacity, instance * resources + resource) * dual;
      result[layout.room + position * resources + resource] = dual;
    }
    for (let limit = 0; limit < limits.length; limit++)
      value += at(of.instances.charge, instance * limits.length + limit) * at(duals, layout.limitRow + limit);
    result[position] = value;
  });
  result.set(duals.subarray(0, classes.count), layout.out);
  result.set(duals.subarray(layout.limitRow), layout.limit);
  return result;
}

/** A D Aᵀ as the classes' own diagonal, what couples classes and the rest, and the rest with the classes eliminated. */
function factor(parts: Parts, diagonal: Float64Array): (right: Float64Array) => Float64Array {
  const { of, layout } = parts;
  const count = of.classes.count;
  const size = layout.rows - count;
  const own = Float64Array.from({ length: count }, (_, index) => at(diagonal, layout.out + index));
  const coupling = new Float64Array(count * size);
  const rest = restOf(parts, diagonal);
  addFills(parts, diagonal, { own, coupling, rest });
  eliminateClasses({ own, coupling, rest }, size);
  const solveRest = factorize(rest, size);
  return (right) => {
    const reduced = Float64Array.from(right.subarray(count));
    forEachCoupling(coupling, size, count, (index, row, value) => {
      reduced[row] = at(reduced, row) - (value * at(right, index)) / at(own, index);
    });
    const below = solveRest(reduced);
    const result = new Float64Array(layout.rows);
    result.set(right.subarray(0, count));
    forEachCoupling(coupling, size, count, (index, row, value) => {
      result[index] = at(result, index) - value * at(below, row);
    });
    for (let index = 0; index < count; index++) result[index] = at(result, index) / at(own, index);
    result.set(below, count);
    return result;
  };
}

interface Blocks {
  /** Per class. */
  readonly own: Float64Array;
  /** classes × other rows. */
  readonly coupling: Float64Array;
  /** Other rows × other rows. */
  readonly rest: Float64Array;
}

/** What instances, room left and limits left contribute among the rows that are no classes. */
function restOf({ of, instances, layout }: Parts, diagonal: Float64Array): Float64Array {
  const { resources, limits, classes } = of;
  const size = layout.rows - classes.count;
  const rest = new Float64Array(size * size);
  const firstLimit = instances.length * resources;
  instances.forEach((instance, position) => {
    const rows = [
      ...Array.from({ length: resources }, (_, resource) => position * resources + resource),
      ...Array.from({ length: limits.length }, (_, limit) => firstLimit + limit),
    ];
    const entries = rows.map((row) =>
      row < firstLimit
        ? -at(of.instances.capacity, instance * resources + row - position * resources)
        : at(of.instances.charge, instance * limits.length + row - firstLimit),
    );
    const weight = at(diagonal, position);
    rows.forEach((row, left) => {
      rows.forEach((column, right) => {
        const cell = row * size + column;
        rest[cell] = at(rest, cell) + weight * at(entries, left) * at(entries, right);
      });
    });
  });
  for (let row = 0; row < size; row++) {
    const column = row < firstLimit ? layout.room + row : layout.limit + row - firstLimit;
    rest[row * size + row] = at(rest, row * size + row) + at(diagonal, column);
  }
  return rest;
}

function addFills({ of, layout }: Parts, diagonal: Float64Array, { own, coupling, rest }: Blocks): void {
  const { resources, classes } = of;
  const size = layout.rows - classes.count;
  for (let fill = 0; fill < layout.fillClass.length; fill++) {
    const [index, position] = [at(layout.fillClass, fill), at(layout.fillInstance, fill)];
    const weight = at(diagonal, layout.fill + fill);
    own[index] = at(own, index) + weight;
    for (let resource = 0; resource < resources; resource++) {
      const row = position * resources + resource;
      const amount = weight * at(classes.requests, index * resources + resource);
      coupling[index * size + row] = amount;
      for (let other = 0; other < resources; other++) {
        const cell = row * size + position * resources + other;
        rest[cell] = at(rest, cell) + amount * at(classes.requests, index * resources + other);
      }
    }
  }
}

/** Leaves of `rest` what remains when the classes' rows are solved for. */
function eliminateClasses({ own, coupling, rest }: Blocks, size: number): void {
  for (let index = 0; index < own.length; index++) {
    const row = coupling.subarray(index * size, (index + 1) * size);
    row.forEach((value, left) => {
      if (value !== 0) subtractRow(rest, left, row, value / at(own, index));
    });
  }
}

/** Only what lies on and below the diagonal is looked at when the matrix is factorized. */
function subtractRow(matrix: Float64Array, row: number, values: Float64Array, times: number): void {
  const first = row * values.length;
  for (let column = 0; column <= row; column++)
    matrix[first + column] = at(matrix, first + column) - times * at(values, column);
}

function forEachCoupling(
  coupling: Float64Array,
  size: number,
  count: number,
  visit: (index: number, row: number, value: number) => void,
): void {
  coupling.subarray(0, count * size).forEach((value, cell) => {
    if (value !== 0) visit(Math.floor(cell / size), cell % size, value);
  });
}
