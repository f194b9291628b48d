import fc from 'fast-check';
import { roomLeft } from '../../../src/controllers/reservations/taken-room.js';
import type { ReservationEntry } from '../../../src/domain/records/reservation.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { targetState } from '../../../src/state/nodes/node-state.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';
import { reservationEntry } from '../../support/builders/reservation.js';

const CORES = 8;

function entryOf([cores, priority, count]: readonly [number, number, number]): ReservationEntry {
  const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: '' };
  const requests = amounts({ cpu: String(cores), 'example.com/device': '1' });
  return reservationEntry({ podUID: undefined, owner, count, priority, requests });
}

function coresOf(entries: readonly ReservationEntry[]): number {
  return entries.reduce((sum, { count, requests }) => sum + (count * (requests.get('cpu') ?? 0)) / 1000, 0);
}

const entries = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat({ max: 3 }), fc.integer({ min: 1, max: 3 })),
  {
    maxLength: 8,
  },
);

describe('roomLeft', () => {
  test('keeps what fits beside the bound pods, and displaces nothing that would fit, whatever the node does not report', () => {
    fc.assert(
      fc.property(entries, fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }), (parts, bound) => {
        const cluster = new Cluster();
        cluster.put('Node', observedNode({ name: 'a', allocatable: { cpu: String(CORES) } }));
        for (const [index, cores] of bound.entries()) {
          const name = `p${String(index)}`;
          cluster.put(
            'Pod',
            observedPod({ name, uid: name, nodeName: 'a', requests: { cpu: String(cores) } }),
          );
        }
        const held = parts.map(entryOf);
        const { kept, displaced } = roomLeft(
          cluster,
          targetState(cluster, { kind: 'Node', name: 'a' }),
          held,
        );
        const free = CORES - bound.reduce((sum, cores) => sum + cores, 0);
        expect(coresOf(kept) + coresOf(displaced)).toBe(coresOf(held));
        expect(coresOf(kept)).toBeLessThanOrEqual(Math.max(0, free));
        for (const { requests } of displaced)
          expect((requests.get('cpu') ?? 0) / 1000).toBeGreaterThan(free - coresOf(kept));
      }),
    );
  });

  const taints = [{ key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' as const }];

  test('displaces what does not fit on a node that is not usable yet once a pod is there that tolerates its taints', () => {
    const cluster = new Cluster();
    cluster.put('Node', observedNode({ name: 'a', allocatable: { cpu: String(CORES) }, taints }));
    cluster.put('Pod', observedPod({ name: 'other', uid: 'other', nodeName: 'a', requests: { cpu: '6' } }));
    const held = entryOf([4, 0, 1]);
    const target = targetState(cluster, { kind: 'Node', name: 'a' });
    expect(target.isUsable).toBe(false);
    expect(roomLeft(cluster, target, [held])).toEqual({ kept: [], displaced: [held] });
  });

  test('leaves room alone on a node that is not usable yet where only pods of the node itself are', () => {
    const cluster = new Cluster();
    cluster.put('Node', observedNode({ name: 'a', allocatable: { cpu: '1' }, taints }));
    const owner = { kind: 'DaemonSet', namespace: 'kube-system', name: 'agent' };
    cluster.put('Pod', observedPod({ name: 'agent', uid: 'agent', nodeName: 'a', owner }));
    const held = [entryOf([4, 0, 1])];
    expect(roomLeft(cluster, targetState(cluster, { kind: 'Node', name: 'a' }), held)).toEqual({
      kept: held,
      displaced: [],
    });
  });
});
