/** Node classes as users write them, for tests that launch: AL2023 in the simulated account's subnets. */
import { toEC2NodeClass, type EC2NodeClass } from '../../../src/clouds/aws/api/ec2-node-class.js';
import { ec2NodeClassV1 } from '../../../src/clouds/aws/api/v1.js';

const OURS = [{ tags: { 'karpenter.sh/discovery': 'berth-demo' } }];

/** `default`; fields of its spec as given, `undefined` leaves one out. @throws ZodError when the document is none. */
export function ec2NodeClass(spec: Readonly<Record<string, unknown>> = {}): EC2NodeClass {
  const document = JSON.parse(
    JSON.stringify({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: {
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        subnetSelectorTerms: OURS,
        securityGroupSelectorTerms: OURS,
        role: 'berth-node',
        ...spec,
      },
    }),
  ) as Readonly<Record<string, unknown>>;
  return toEC2NodeClass(ec2NodeClassV1.parse(document));
}
