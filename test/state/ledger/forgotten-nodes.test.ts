/** Nodes that are gone leave nothing in the books once their pods are gone, too. */
import { requirement } from '../../../src/domain/values/requirement.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { RoomLedger } from '../../../src/state/ledger/room-ledger.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** As the DaemonSet controller makes it: it waits for kube-scheduler, and can go to this node only. */
const PINNED: ObservedPodOverrides = {
  owner: { kind: 'DaemonSet', name: 'agent' },
  nodeAffinity: {
    required: [
      { labels: new Map(), fields: new Map([['metadata.name', requirement('metadata.name', 'In', ['n1'])]]) },
    ],
  },
};

test.each<[string, ObservedPodOverrides]>([
  ['a pod that is bound to it', { nodeName: 'n1' }],
  ['a DaemonSet pod that waits for it', PINNED],
])('a node that goes before %s is forgotten with the pod', (_whose, pod) => {
  const cluster = new Cluster();
  const ledger = new RoomLedger({ cluster, clock: new VirtualClock() });
  cluster.put('Node', observedNode({ name: 'n1', uid: 'first' }));
  cluster.put('Pod', observedPod({ name: 'agent-1', uid: 'agent-1', ...pod }));
  const first = ledger.account('n1');
  expect(first).toBeDefined();
  cluster.delete('Node', 'n1');
  cluster.delete('Pod', 'default/agent-1');
  // One of the name that comes later has books of its own.
  cluster.put('Node', observedNode({ name: 'n1', uid: 'second', resourceVersion: '100' }));
  expect(ledger.account('n1')).toBeDefined();
  expect(ledger.account('n1') === first).toBe(false);
});
