/** A bin filled with its room leaves its claim as many values open as its pool asks. */
import fc from 'fast-check';
import { DEFAULT_PLAN_OPTIONS } from '../../../../src/planning/plan-options.js';
import { binTypeRoom, binTypeTable } from '../../../../src/planning/pack/guided/bin-type-table.js';
import { Packing } from '../../../../src/planning/rules/packing.js';
import { compileProblem } from '../../../../src/planning/model/problem.js';
import { rowOf } from '../../../../src/planning/model/launch/room.js';
import { buildSnapshot } from '../../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { arbitraryCluster } from '../../laws/arbitrary-cluster.js';
import { RUNS } from '../../laws/plan-of.js';

interface BinType {
  readonly room: Float64Array;
  readonly net: Float64Array;
  readonly setsMinValues: boolean;
  /** What is wrong with a claim whose pods ask for all of the room. */
  readonly tooFew: unknown;
}

function binTypesOf(input: ClusterInput): readonly BinType[] {
  const problem = compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
  const packing = new Packing(problem);
  const { launchables, snapshot } = problem;
  const table = binTypeTable(problem);
  const rooms = binTypeRoom(packing, table);
  return [...table.row].map((row, binType) => {
    const room = rowOf(rooms, snapshot.resources.length, binType);
    const column = launchables.rowColumns[row]?.[0] ?? -1;
    return {
      room,
      net: rowOf(launchables.net, snapshot.resources.length, row),
      setsMinValues: packing.flexibility.setsMinValues(launchables.rowTemplate[row]?.index ?? -1),
      tooFew: packing.flexibility.tooFew({ column, requests: room, asks: new Set(), classes: [] }),
    };
  });
}

describe('binTypeRoom', () => {
  test('is what the bin type has, or less for the sake of minValues: then enough types hold all of it', () => {
    let flexible = 0;
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        for (const { room, net, setsMinValues, tooFew } of binTypesOf(input)) {
          const isOffered = room.every((amount) => amount >= 0);
          expect(room.every((amount, resource) => amount <= (net[resource] ?? 0))).toBe(true);
          expect(setsMinValues || room.join() === net.join()).toBe(true);
          expect(isOffered ? tooFew : undefined).toBeUndefined();
          flexible += Number(setsMinValues && isOffered);
        }
      }),
      RUNS,
    );
    expect(flexible).toBeGreaterThan(RUNS.numRuns);
  });
});
