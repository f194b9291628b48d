/** Manifests as users write them, for command lines of tests. */

interface PoolText {
  readonly name?: string;
  /** Lines of `spec.template.spec.requirements`, as flow mappings. */
  readonly requirements?: readonly string[];
  /** Lines below `spec`. */
  readonly spec?: readonly string[];
}

/** A NodePool on the node class `default`: m7g in two zones of eu-west-3, on demand. */
export function poolText({
  name = 'general',
  requirements,
  spec = ['limits: {cpu: 1000}'],
}: PoolText = {}): string {
  const lines = requirements ?? [
    '{key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g]}',
    '{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}',
    '{key: topology.kubernetes.io/zone, operator: In, values: [eu-west-3a, eu-west-3b]}',
  ];
  return [
    'apiVersion: karpenter.sh/v1',
    'kind: NodePool',
    `metadata: {name: ${name}}`,
    'spec:',
    ...spec.map((line) => `  ${line}`),
    '  disruption: {consolidateAfter: 1m}',
    '  template:',
    '    spec:',
    '      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}',
    '      requirements:',
    ...lines.map((line) => `        - ${line}`),
    '',
  ].join('\n');
}

export const NODE_CLASS_TEXT = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: node-role
  amiSelectorTerms: [{alias: al2023@v20240807}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: test}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: test}}]
`;

/** A Deployment in the namespace default; `requests` as a flow mapping. */
export function deploymentText(
  name: string,
  replicas: number,
  requests = '{cpu: 900m, memory: 3Gi}',
): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${String(replicas)}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - {name: main, image: example.org/main, resources: {requests: ${requests}}}
`;
}

/** Several documents in one text. */
export function stream(...documents: readonly string[]): string {
  return documents.join('---\n');
}
