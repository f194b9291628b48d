import fc from 'fast-check';
import { serialize } from 'node:v8';
import { InputDelta } from '../../../src/adapters/planner/input-delta.js';
import { InputMirror } from '../../../src/adapters/planner/input-mirror.js';
import type { PlannerMessage, PlannerTask } from '../../../src/adapters/planner/message.js';
import type { DisruptionInput } from '../../../src/planning/disrupt/disruption.js';
import { fleet } from '../../support/builders/disruption-input.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { podSpec } from '../../support/builders/pod.js';
import { CHANGES, smallCluster, taskOf } from './changes.js';
import { text } from './text.js';

/** Of every question. */
const ID = 7;

/** Both sides; what goes between them is copied as it is between threads. */
class Sides {
  readonly #delta: InputDelta;
  readonly #mirror = new InputMirror();
  /** What it took to pass the last task. */
  messages: readonly PlannerMessage[] = [];

  constructor(mostTold?: number) {
    this.#delta = new InputDelta(mostTold);
  }

  pass(task: PlannerTask): PlannerTask {
    this.messages = [...this.#delta.tell(ID, task)];
    const [passed, ...others] = this.messages.flatMap(
      (message) => this.#mirror.take(structuredClone(message)) ?? [],
    );
    const { id, ...mirrored } = passed ?? { id: 0, ...task };
    if (id !== ID || others.length > 0) throw new Error('the one task should have come over');
    return mirrored;
  }

  get bytes(): number {
    return this.messages.reduce((sum, message) => sum + serialize(message).byteLength, 0);
  }
}

const steps = fc.array(
  fc.record({
    change: fc.constantFrom(...CHANGES),
    seed: fc.nat(999),
    kind: fc.constantFrom<PlannerTask['kind'][]>('plan', 'disrupt'),
  }),
  { minLength: 1, maxLength: 20 },
);

function clusterOf(task: PlannerTask): DisruptionInput['cluster'] {
  return task.kind === 'plan' ? task.request.input : task.request.input.cluster;
}

/** What of a task caches may go by. */
function objectsOf(task: PlannerTask): readonly (object | undefined)[] {
  const { pods, nodes, daemonSets, pools, persistentVolumeClaims, persistentVolumes, namespaces } =
    clusterOf(task);
  return [
    ...[...pods, ...nodes, ...daemonSets, ...persistentVolumeClaims, ...persistentVolumes],
    ...pods.map(({ spec }) => spec),
    ...pools.map(({ pool }) => pool),
    ...pools.flatMap(({ instanceTypes }) => instanceTypes ?? []),
    ...[...namespaces.values()],
    ...(task.kind === 'disrupt' ? [...task.request.input.nodes, ...task.request.input.pods] : []),
    task.request.options,
  ];
}

/** How many objects of a task were in one before, and were another in the mirror then. */
function madeAnew(tasks: readonly { readonly task: PlannerTask; readonly mirrored: PlannerTask }[]): number {
  let count = 0;
  const twins = new Map<object | undefined, object | undefined>();
  for (const { task, mirrored } of tasks) {
    const copies = objectsOf(mirrored);
    const now = new Map(objectsOf(task).map((object, index) => [object, copies[index]]));
    for (const [object, copy] of now) if ((twins.get(object) ?? copy) !== copy) count++;
    for (const object of [...twins.keys()]) if (!now.has(object)) twins.delete(object);
    for (const [object, copy] of now) twins.set(object, copy);
  }
  return count;
}

describe('a task that is told by what is different', () => {
  test('is the task, whatever came before it and however little is told at once', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 9 }), (changes, mostTold) => {
        const sides = new Sides(mostTold);
        let input = smallCluster();
        for (const { change, seed, kind } of changes) {
          input = change(input, seed);
          const task = taskOf(input, kind);
          expect(text(sides.pass(task)) === text(task)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each(['plan', 'disrupt'] as const)('to %s has the objects that it had before', (kind) => {
    fc.assert(
      fc.property(steps, (changes) => {
        const sides = new Sides();
        let input = smallCluster();
        const tasks = changes.map(({ change, seed }) => {
          input = change(input, seed);
          const task = taskOf(input, kind);
          return { task, mirrored: sides.pass(task) };
        });
        expect(madeAnew(tasks)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('has the same lists where nothing is different, though they were made anew', () => {
    const sides = new Sides();
    const before = Object.entries(clusterOf(sides.pass(taskOf(smallCluster(), 'plan'))));
    const after = Object.entries(clusterOf(sides.pass(taskOf(smallCluster(), 'plan'))));
    const same = after.filter(([name, list]) => before.some(([n, l]) => n === name && l === list));
    expect(same).toHaveLength(before.length);
  });

  test('is told in few bytes where little is different', () => {
    const pods = Array.from({ length: 2000 }, (_, index) => ({ name: `web-${String(index)}` }));
    const input = fleet([{ name: 'a', pods }]);
    const sides = new Sides();
    sides.pass(taskOf(input, 'disrupt'));
    const [whole, messages] = [sides.bytes, sides.messages.length];
    sides.pass(taskOf({ ...input, now: input.now + 1 }, 'disrupt'));
    const nothing = sides.bytes;
    const pod = observedPod({ name: 'new' });
    const more = { ...input.cluster, pods: [...input.cluster.pods.slice(1), pod] };
    sides.pass(taskOf({ ...input, cluster: more, pods: [...input.pods, pod] }, 'disrupt'));
    expect(messages).toBeGreaterThan(4);
    expect(sides.messages).toHaveLength(1);
    expect({ nothing: nothing < 300, little: sides.bytes < 3000, whole: whole > 500_000 }).toEqual({
      nothing: true,
      little: true,
      whole: true,
    });
  });

  test('sends what many pods share once', () => {
    const spec = podSpec({ labels: { app: 'web', note: 'x'.repeat(1000) } });
    const pods = Array.from({ length: 100 }, (_, index) => ({
      ...observedPod({ name: `web-${String(index)}` }),
      spec,
    }));
    const sides = new Sides(7);
    const task = sides.pass(taskOf({ ...smallCluster(), pods }, 'disrupt'));
    expect(sides.bytes).toBeLessThan(100_000);
    const specs = task.kind === 'disrupt' ? task.request.input.pods.map((pod) => pod.spec) : [];
    expect(new Set(specs).size).toBe(1);
    expect(specs).toHaveLength(100);
  });
});
