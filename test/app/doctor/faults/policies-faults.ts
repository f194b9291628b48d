/** Faults of policies, nodes and other autoscalers. */
import { NAMESPACE, policies } from '../examined-cluster.js';
import { autoscaler, claim, planted } from './planting.js';

export const POLICIES_FAULTS = planted([
  {
    fault: 'a policy is invalid',
    plant: async (cluster) => {
      cluster.webhook = 'unreachable';
      await cluster.create(
        'configmaps',
        policies(
          'broken',
          'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: broken }\nspec: { weight: 200 }\n',
        ),
      );
      cluster.webhook = 'answers';
    },
    check: 'policies',
    result: 'failed',
    evidence: /spec.template is required/,
    mend: /berth validate/,
  },
  {
    fault: 'there is no NodePool',
    plant: (cluster) => cluster.remove('configmaps', 'pool-general', NAMESPACE),
    check: 'policies',
    result: 'warning',
    evidence: /no NodePool/,
    mend: /berth\.sh\/policy/,
  },
  {
    fault: 'a NodePool refers to a node class that does not exist',
    plant: (cluster) => cluster.remove('configmaps', 'class-default', NAMESPACE),
    check: 'node-class-references',
    result: 'failed',
    evidence: /refers to EC2NodeClass default, which does not exist/,
    mend: /nodeClassRef/,
  },
  {
    fault: 'a policy is not ready',
    plant: (cluster) =>
      cluster.change('policystatuses.berth.sh', 'nodepool.general', (object) => ({
        ...object,
        status: JSON.parse(
          JSON.stringify(object['status']).replace(
            '"type":"Ready","status":"True","reason":"Ready","message":""',
            '"type":"Ready","status":"False","reason":"NodeClassNotReady","message":"no subnet"',
          ),
        ) as unknown,
      })),
    check: 'policy-statuses',
    result: 'failed',
    evidence: /nodepool\.general is not ready: no subnet/,
    mend: /describe bpol/,
  },
  {
    fault: 'an instance does not join',
    plant: claim({ status: 'True' }),
    check: 'nodes-join',
    result: 'failed',
    evidence: /did not join .* general-1/,
    mend: /aws-auth/,
  },
  {
    fault: 'a launch fails',
    plant: claim({ status: 'False', reason: 'LaunchFailed', message: 'InsufficientInstanceCapacity' }),
    check: 'nodes-join',
    result: 'failed',
    evidence: /1 launch failed: general-1: InsufficientInstanceCapacity/,
    mend: /explain nodeclaim/,
  },
  {
    fault: 'Karpenter runs beside Berth',
    plant: autoscaler('kube-system', 'karpenter', 'public.ecr.aws/karpenter/controller:1.15.0'),
    check: 'karpenter',
    result: 'warning',
    evidence: /kube-system\/karpenter/,
    mend: /scale Karpenter to 0/,
  },
  {
    fault: 'Cluster Autoscaler runs beside Berth',
    plant: autoscaler('kube-system', 'ca', 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.36.0'),
    check: 'cluster-autoscaler',
    result: 'warning',
    evidence: /kube-system\/ca/,
    mend: /Scale it to 0/,
  },
  {
    fault: 'EKS Auto Mode is on',
    plant: (cluster) =>
      cluster.create('customresourcedefinitions.apiextensions.k8s.io', {
        metadata: { name: 'nodeclasses.eks.amazonaws.com' },
        spec: {
          group: 'eks.amazonaws.com',
          scope: 'Cluster',
          names: {
            kind: 'NodeClass',
            plural: 'nodeclasses',
            singular: 'nodeclass',
            listKind: 'NodeClassList',
          },
          versions: [
            { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          ],
        },
      }),
    check: 'auto-mode',
    result: 'warning',
    evidence: /Auto Mode is on/,
    mend: /compute-config/,
  },
]);
