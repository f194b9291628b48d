import { SchedulingQueue } from '../../../world/scheduler/scheduling-queue.js';

const FIT = new Set(['NodeResourcesFit']);
const EXTENDER = new Set(['Extender']);

function queueOf(...pods: readonly (readonly [name: string, priority: number])[]): SchedulingQueue {
  const queue = new SchedulingQueue();
  for (const [name, priority] of pods) queue.add({ uid: name, key: name, priority });
  return queue;
}

/** Takes the next one, which is refused. */
function refuse(queue: SchedulingQueue, plugins: ReadonlySet<string>, now: number): void {
  const pod = queue.pop(now);
  if (pod === undefined) throw new Error('nothing to try');
  queue.refused(pod, plugins, now);
}

describe('SchedulingQueue', () => {
  test('gives the most important pod first, of equals the one that came first', () => {
    const queue = queueOf(['a', 0], ['b', 10], ['c', 0], ['d', 10]);
    const names = Array.from({ length: 5 }, () => queue.pop(0)?.key);
    expect(names).toEqual(['b', 'd', 'a', 'c', undefined]);
  });

  test('a refused pod waits for what may change the mind of who refused it', () => {
    const queue = queueOf(['a', 0]);
    refuse(queue, FIT, 0);
    queue.happened('NodeLabels', 1);
    expect(queue.pop(2)).toBeUndefined();
    queue.happened('PodRemoved', 3);
    expect(queue.pop(4)?.key).toBe('a');
  });

  test('anything wakes a pod that the extender refused, a change of its own status too', () => {
    const queue = queueOf(['a', 0], ['b', 0]);
    refuse(queue, EXTENDER, 0);
    refuse(queue, FIT, 0);
    queue.changed('a', 'OwnOutward', 1);
    queue.changed('b', 'OwnOutward', 1);
    expect(queue.pop(2)?.key).toBe('a');
    expect(queue.pop(2)).toBeUndefined();
  });

  test('what happened while a pod was tried is not missed', () => {
    const queue = queueOf(['a', 0]);
    const pod = queue.pop(0);
    if (pod === undefined) throw new Error('nothing to try');
    queue.happened('NodeAdded', 1);
    queue.refused(pod, FIT, 2);
    expect(queue.pop(3)?.key).toBe('a');
  });

  test('it is tried again after five minutes, whatever happens', () => {
    const queue = queueOf(['a', 0]);
    refuse(queue, FIT, 1_000);
    expect(queue.nextDue(1_000)).toBe(301_000);
    expect(queue.pop(300_999)).toBeUndefined();
    expect(queue.pop(301_000)?.key).toBe('a');
  });

  test('pods that wait out a back-off come after those that are new', () => {
    const queue = queueOf(['old', 5]);
    refuse(queue, FIT, 0);
    queue.happened('NodeAdded', 1);
    queue.add({ uid: 'new', key: 'new', priority: 0 });
    expect([queue.pop(2)?.key, queue.pop(2)?.key]).toEqual(['new', 'old']);
  });

  test('errors back off from one second to ten, and no event shortens that', () => {
    const queue = queueOf(['a', 0]);
    const waits: number[] = [];
    let now = 0;
    for (let attempt = 0; attempt < 6; attempt++) {
      const pod = queue.pop(now);
      if (pod === undefined) throw new Error('nothing to try');
      queue.failed(pod, now);
      queue.happened('NodeAdded', now);
      const due = queue.nextDue(now) ?? 0;
      waits.push(due - now);
      expect(queue.pop(due - 1)).toBeUndefined();
      now = due;
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('a pod that is removed is not tried, and nothing is due', () => {
    const queue = queueOf(['a', 0]);
    queue.remove('a');
    expect(queue.pop(0)).toBeUndefined();
    expect(queue.nextDue(0)).toBeUndefined();
  });
});
