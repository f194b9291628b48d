/** Faults of how Berth is installed and may do. */
import { NAMESPACE, START } from '../examined-cluster.js';
import { replaced, withStatus, deployment, staleLease, planted } from './planting.js';

export const INSTALLATION_FAULTS = planted([
  {
    fault: 'the clock of this computer is a minute and a half ahead',
    plant: (cluster) => {
      cluster.aheadMillis = 90_000;
    },
    check: 'clock',
    result: 'failed',
    evidence: /differ by 89 s/,
    mend: /NTP/,
  },
  {
    fault: 'a CustomResourceDefinition is missing',
    plant: (cluster) =>
      cluster.remove('customresourcedefinitions.apiextensions.k8s.io', 'decisions.berth.sh'),
    check: 'custom-resources',
    result: 'failed',
    evidence: /decisions\.berth\.sh does not exist/,
    mend: /chart berth-crd/,
  },
  {
    fault: 'a CustomResourceDefinition is of another version',
    plant: (cluster) =>
      cluster.change(
        'customresourcedefinitions.apiextensions.k8s.io',
        'reservations.berth.sh',
        replaced('The reserved room and its target.', 'Room.'),
      ),
    check: 'custom-resources',
    result: 'warning',
    evidence: /reservations\.berth\.sh is that of another version/,
    mend: /berth-crd/,
  },
  {
    fault: 'Berth is not installed in the namespace',
    plant: (cluster) => cluster.remove('deployments.apps', 'berth', NAMESPACE),
    check: 'controller',
    result: 'failed',
    evidence: /Deployment berth does not exist in the namespace berth-system/,
    mend: /docs\/install\.md/,
    also: ['options'],
  },
  {
    fault: 'the image of Berth cannot be pulled',
    plant: async (cluster) => {
      await deployment('berth', withStatus({ replicas: 2 }))(cluster);
      const waiting = { state: { waiting: { reason: 'ImagePullBackOff' } }, image: 'berth:0.1.0' };
      for (const name of ['berth-a', 'berth-b'])
        await cluster.change(
          'pods',
          name,
          withStatus({ containerStatuses: [{ name: 'berth', ...waiting }] }),
          NAMESPACE,
        );
    },
    check: 'controller',
    result: 'failed',
    evidence: /0 of 2 replicas .* ImagePullBackOff \(berth:0\.1\.0\)/,
    mend: /describe pods/,
  },
  {
    fault: 'there is one replica',
    plant: (cluster) =>
      deployment('berth', (object) => ({ ...object, spec: { ...(object['spec'] as object), replicas: 1 } }))(
        cluster,
      ),
    check: 'controller',
    result: 'warning',
    evidence: /nothing is launched/,
    mend: /replicas to 2/,
  },
  {
    fault: 'a variable has a value that is not allowed',
    plant: deployment('berth', replaced('"value":"aws"', '"value":"awz"')),
    check: 'options',
    result: 'failed',
    evidence: /BERTH_CLOUD awz: expected one of aws, kwok/,
    mend: /flags\.md/,
  },
  {
    fault: 'the name of the cluster was not filled in',
    plant: deployment('berth', replaced('"value":"berth-demo"', '"value":"REPLACE"')),
    check: 'options',
    result: 'failed',
    evidence: /no name of the cluster/,
    mend: /CLUSTER_NAME/,
    also: ['account', 'node-classes'],
  },
  {
    fault: 'there is no interruption queue',
    plant: deployment('berth', replaced('INTERRUPTION_QUEUE', 'OTHER')),
    check: 'options',
    result: 'warning',
    evidence: /spot instances end without notice/,
    mend: /INTERRUPTION_QUEUE/,
  },
  {
    fault: 'no node can run Berth',
    plant: async (cluster) => {
      for (const name of ['system-a', 'system-b'])
        await cluster.change('nodes', name, (node) => ({
          ...node,
          spec: { ...(node['spec'] as object), unschedulable: true },
        }));
    },
    check: 'nodes-for-berth',
    result: 'failed',
    evidence: /^0 nodes/,
    mend: /managed node group/,
  },
  {
    fault: 'one node can run Berth',
    plant: (cluster) => cluster.remove('nodes', 'system-b'),
    check: 'nodes-for-berth',
    result: 'warning',
    evidence: /^1 node /,
    mend: /Have 2 Ready nodes/,
  },
  {
    fault: 'no replica has led for a minute',
    plant: staleLease('berth', START - 60_000),
    check: 'leader',
    result: 'failed',
    evidence: /renewed it 60 s ago/,
    mend: /logs deploy\/berth/,
  },
  {
    fault: "the leader's clock is ahead",
    plant: staleLease('berth', START + 30_000),
    check: 'leader',
    result: 'warning',
    evidence: /clock of berth-a is 30 s ahead/,
    mend: /NTP/,
  },
  {
    fault: 'Berth is paused',
    plant: (cluster) =>
      cluster.change('namespaces', NAMESPACE, (object) => ({
        ...object,
        metadata: {
          ...object.metadata,
          annotations: {
            'berth.sh/paused': '{"reason":"incident 42","by":"ops","since":"2026-03-02T07:00:00Z"}',
          },
        },
      })),
    check: 'pause',
    result: 'warning',
    evidence: /incident 42/,
    mend: /berth resume/,
  },
  {
    fault: 'the controller may not evict pods',
    plant: (cluster) =>
      cluster.change(
        'clusterroles.rbac.authorization.k8s.io',
        'berth-controller',
        replaced('pods/eviction', 'pods/log'),
      ),
    check: 'rights-of-controller',
    result: 'failed',
    evidence: /may not create pods\/eviction$/,
    mend: /manifests\/rbac/,
  },
  {
    fault: 'the controller may not create Nodes, which the instances of KWOK are',
    plant: deployment('berth', replaced('"value":"aws"', '"value":"kwok"')),
    check: 'rights-of-controller',
    result: 'failed',
    evidence: /may not create nodes$/,
    mend: /roles of this version/,
    also: ['node-classes'],
  },
  {
    fault: 'a role of the controller is not bound',
    plant: (cluster) =>
      cluster.remove('rolebindings.rbac.authorization.k8s.io', 'berth-controller', NAMESPACE),
    check: 'rights-of-controller',
    result: 'failed',
    evidence: /may not list configmaps in berth-system, .* more$/,
    mend: /roles of this version/,
  },
  {
    fault: 'the extender beside the second scheduler may read nothing',
    plant: (cluster) =>
      cluster.remove('clusterrolebindings.rbac.authorization.k8s.io', 'berth-scheduler-extender'),
    check: 'rights-of-scheduler',
    result: 'failed',
    evidence: /berth-scheduler may not list nodes/,
    mend: /roles of this version/,
  },
]);
