/** Windows of pods, as the cluster has them: on the pod, or on its namespace. */
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { disruptionInput } from '../../../src/state/planning/disruption-input.js';
import { replicasOf } from '../../../src/state/planning/replicas.js';
import { disruptionQuestion } from '../../contract/planner.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';

const NEVER = '[]';
const NOW = Date.UTC(2026, 0, 2, 12);

/** Nodes a and b with a pod each: that of a in namespace team, that of b in default. */
function cluster(
  ofTeam: Readonly<Record<string, string>>,
  ofPod: Readonly<Record<string, string>> = {},
): Cluster {
  const made = new Cluster();
  made.put('Namespace', {
    name: 'team',
    uid: 'team',
    labels: new Map(),
    annotations: new Map(Object.entries(ofTeam)),
  });
  made.put('Namespace', { name: 'default', uid: 'default', labels: new Map() });
  for (const [name, namespace] of [
    ['a', 'team'],
    ['b', 'default'],
  ] as const) {
    const providerID = `aws:///us-east-1a/i-${name}`;
    made.put(
      'NodeClaim',
      nodeClaim({ name, spec: { nodePool: 'static' }, status: { providerID, nodeName: name } }),
    );
    made.put('Node', observedNode({ name, providerID }));
    const annotations = namespace === 'default' ? ofPod : {};
    const owner = { kind: 'ReplicaSet', name: 'web' };
    made.put('Pod', observedPod({ name, namespace, nodeName: name, owner, annotations, phase: 'Running' }));
  }
  return made;
}

function protectedNodes(made: Cluster): readonly string[] {
  return replicasOf(made, 'static', NOW).flatMap(({ name, isProtected }) => (isProtected ? [name] : []));
}

test('disruption is asked with the windows of namespaces that have some', () => {
  expect(disruptionInput(cluster({}), disruptionQuestion()).namespaceWindows).toBeUndefined();
  const { namespaceWindows } = disruptionInput(
    cluster({ 'berth.sh/disruption-windows': NEVER }),
    disruptionQuestion(),
  );
  expect(namespaceWindows).toEqual(new Map([['team', NEVER]]));
});

test('a static pool with fewer replicas removes nodes last whose pods have no open window', () => {
  expect(protectedNodes(cluster({}))).toEqual([]);
  expect(protectedNodes(cluster({ 'berth.sh/disruption-windows': NEVER }))).toEqual(['a']);
  expect(protectedNodes(cluster({}, { 'berth.sh/disruption-windows': NEVER }))).toEqual(['b']);
});

test('a static pool heeds no window of pods that go with their node', () => {
  const made = cluster({ 'berth.sh/disruption-windows': NEVER });
  const owner = { kind: 'DaemonSet', name: 'agent' };
  made.put(
    'Pod',
    observedPod({
      name: 'a',
      namespace: 'team',
      nodeName: 'a',
      owner,
      phase: 'Running',
      resourceVersion: '2',
    }),
  );
  expect(protectedNodes(made)).toEqual([]);
});
