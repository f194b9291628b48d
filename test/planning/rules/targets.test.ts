/** Targets: what is free on a node or claim, and what was put there. */
import type { Ask } from '../../../src/planning/model/classes/ask.js';
import type { PodClass } from '../../../src/planning/model/classes/pod-class.js';
import { Packing } from '../../../src/planning/rules/packing.js';
import { Target } from '../../../src/planning/rules/targets.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { node } from '../../support/builders/node.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';

const PORT = { hostIP: '0.0.0.0', protocol: 'TCP', port: 80 };

/** The class of one pending pod, with its first ask. */
function classOf(overrides: PodOverrides): { readonly pods: PodClass; readonly ask: Ask } {
  const snapshot = buildSnapshot(clusterInput({ pods: [pod(overrides)] }));
  const [pods] = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS).classes;
  const ask = pods?.asks[0];
  if (pods === undefined || ask === undefined) throw new Error('the pod has no class');
  return { pods, ask };
}

/** The second row of two: 1000m, 1 GiB, 10 pods, no disk and, where they are given, slots for volumes of EBS. */
function target(...slots: readonly number[]): {
  readonly of: Target;
  readonly room: Float64Array;
} {
  const row = [1000, 2 ** 30, 10, 0, ...slots];
  const room = Float64Array.from([...row, ...row]);
  const width = row.length;
  const driver = new Map([['ebs.csi.aws.com', 4]]);
  return {
    room,
    of: new Target({
      target: 1,
      column: -1,
      room,
      row: 1,
      width,
      ...(slots.length > 0 && { slots: driver }),
    }),
  };
}

describe('Target', () => {
  test('takes room from its own row only, and gives it back', () => {
    const { pods, ask } = classOf({ requests: { cpu: '400m', memory: '256Mi' } });
    const { of, room } = target();
    of.occupy(pods, ask, 2);
    expect([...of.free]).toEqual([200, 2 ** 29, 8, 0]);
    expect([...room.subarray(0, 4)]).toEqual([1000, 2 ** 30, 10, 0]);
    of.vacate(pods, 2);
    expect([...of.free]).toEqual([1000, 2 ** 30, 10, 0]);
    expect(of.content.size).toBe(0);
  });

  test('has room for a pod up to the last unit, and looks at nothing that is not asked for', () => {
    const { of } = target();
    expect(of.hasRoom(Float64Array.from([1000, 2 ** 30, 10, 0]))).toBe(true);
    expect(of.hasRoom(Float64Array.from([1001, 0, 0, 0]))).toBe(false);
    expect(of.hasRoom(Float64Array.from([0, 0, 0, 1]))).toBe(false);
    of.free.fill(-1);
    expect(of.hasRoom(Float64Array.from([0, 0, 0, 0]))).toBe(true);
  });

  test('remembers ports, classes and asks of what was put there', () => {
    const { pods, ask } = classOf({ hostPorts: [PORT] });
    const { of } = target();
    expect([of.hostPorts, [...of.content], [...of.asks]]).toEqual([[], [], []]);
    of.occupy(pods, ask, 1);
    expect(of.hostPorts).toEqual([PORT]);
    expect([...of.content]).toEqual([[pods.index, 1]]);
    expect([...of.asks]).toEqual([ask]);
  });

  test('has slots for volumes per driver, of which one that pods share takes one', () => {
    const volume = (claim: string, shared = false) => ({
      ...{ claim, shared, driver: 'ebs.csi.aws.com', readWriteOncePod: false },
    });
    const { of } = target(2);
    of.attach(volume('data', true));
    of.attach(volume('data', true));
    expect(of.free[4]).toBe(1);
    expect(of.volumesFit([volume('data', true), volume('logs')])).toBe(true);
    of.attach(volume('logs', true));
    expect(of.volumesFit([volume('data', true)])).toBe(true);
    expect(of.volumesFit([volume('more')])).toBe(false);
    expect(of.volumesFit([{ ...volume('files'), driver: 'efs.csi.aws.com' }])).toBe(true);
  });
});

describe('the targets of a packing', () => {
  test('change without the problem, so that it can be packed twice', () => {
    const pods = [pod({ name: 'web', requests: { cpu: '500m' } })];
    const problem = compileProblem(
      buildSnapshot(clusterInput({ nodes: [node()], pods })),
      DEFAULT_PLAN_OPTIONS,
    );
    const [first, second] = [new Packing(problem), new Packing(problem)];
    const [web] = problem.classes;
    const [ask] = web?.asks ?? [];
    const [there] = first.targets;
    if (web === undefined || ask === undefined || there === undefined) throw new Error('nothing to place');
    first.put(web, ask, there, 1);
    expect(there.free[0]).toBe((problem.nodeFree[0] ?? 0) - 500);
    expect(second.targets[0]?.free[0]).toBe(problem.nodeFree[0]);
  });
});
