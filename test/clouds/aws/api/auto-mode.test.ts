/** NodeClass of EKS Auto Mode, and NodePools that name one, as documents of Karpenter. */
import { convertDocuments } from '../../../../src/apis/conversion/convert-documents.js';
import { withAutoModeLabels } from '../../../../src/clouds/aws/api/auto-mode.js';
import { documentsOf, nodePool, templateSpec, type Plain } from '../../../apis/policies-as-written.js';

const NETWORK = {
  subnetSelectorTerms: [{ tags: { Name: 'private' } }],
  securityGroupSelectorTerms: [{ id: 'sg-0123456789abcdef0' }],
};

function autoModeClass(spec: Plain): Plain {
  return {
    apiVersion: 'eks.amazonaws.com/v1',
    kind: 'NodeClass',
    metadata: { name: 'private' },
    spec: { ...NETWORK, role: 'nodes', ...spec },
  };
}

const converted = (...objects: readonly Plain[]): ReturnType<typeof convertDocuments> =>
  convertDocuments(documentsOf(...objects));

test('a NodeClass becomes an EC2NodeClass with its network, identity, tags, reservations and data volume', () => {
  const reservations = [{ id: 'cr-0123456789abcdef0' }];
  const { documents, issues } = converted(
    autoModeClass({
      ephemeralStorage: { size: '160Gi', iops: 6000, kmsKeyID: 'alias/nodes' },
      tags: { team: 'shop' },
      capacityReservationSelectorTerms: reservations,
      advancedNetworking: { associatePublicIPAddress: false },
    }),
  );
  expect(documents).toEqual([
    {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'auto-mode-private' },
      spec: {
        ...NETWORK,
        role: 'nodes',
        amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
        capacityReservationSelectorTerms: reservations,
        tags: { team: 'shop' },
        associatePublicIPAddress: false,
        blockDeviceMappings: [
          {
            deviceName: '/dev/xvdb',
            ebs: {
              ...{ volumeSize: '160Gi', volumeType: 'gp3', encrypted: true, iops: 6000 },
              kmsKeyID: 'alias/nodes',
            },
          },
        ],
      },
    },
  ]);
  expect(issues.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', expect.stringContaining('is of EKS Auto Mode, read as EC2NodeClass of karpenter.k8s.aws/v1')],
  ]);
});

test('what an EC2NodeClass has no setting for is left out with a warning, known to Berth or not', () => {
  const { documents, issues } = converted(
    autoModeClass({
      snatPolicy: 'Random',
      fieldOfTomorrow: { a: 1 },
      advancedNetworking: { httpsProxy: 'http://proxy:3128' },
    }),
  );
  expect(JSON.stringify(documents)).not.toMatch(/snatPolicy|fieldOfTomorrow|httpsProxy/);
  const unsupported = issues.filter(({ code }) => code === 'unsupported');
  expect(unsupported.map(({ severity, path }) => `${severity} ${path.join('.')}`)).toEqual([
    'warning spec.snatPolicy',
    'warning spec.fieldOfTomorrow',
    'warning spec.advancedNetworking.httpsProxy',
  ]);
});

test('a NodeClass without network or identity is refused', () => {
  const { documents, issues } = converted({ ...autoModeClass({}), spec: {} });
  expect(documents).toEqual([]);
  const errors = issues.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ path }) => path.join('.'))).toEqual(
    expect.arrayContaining(['spec.subnetSelectorTerms', 'spec.securityGroupSelectorTerms']),
  );
});

test("a NodePool that names one gets Karpenter's names of its labels, and one of Karpenter's is left as it is", () => {
  const requirements = [
    { key: 'eks.amazonaws.com/instance-category', operator: 'In', values: ['c', 'm'] },
    { key: 'eks.amazonaws.com/instance-generation', operator: 'Gt', values: ['4'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-west-3a'] },
    { key: 'eks.amazonaws.com/of-our-own', operator: 'Exists' },
  ];
  const read = (ref: object): unknown =>
    (
      converted(nodePool({ template: { spec: templateSpec({ nodeClassRef: ref, requirements }) } }))
        .documents[0] as { spec: { template: { spec: unknown } } }
    ).spec.template.spec;
  expect(read({ group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'private' })).toEqual({
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'auto-mode-private' },
    requirements: [
      { ...requirements[0], key: 'karpenter.k8s.aws/instance-category' },
      { ...requirements[1], key: 'karpenter.k8s.aws/instance-generation' },
      requirements[2],
      requirements[3],
    ],
  });
  const karpenters = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'private' };
  expect(read(karpenters)).toEqual({ nodeClassRef: karpenters, requirements });
});

test('types have the labels of EKS Auto Mode besides those of Karpenter', () => {
  const labels = new Map([
    ['karpenter.k8s.aws/instance-family', 'm5'],
    ['kubernetes.io/arch', 'amd64'],
  ]);
  expect(Object.fromEntries(withAutoModeLabels(labels))).toEqual({
    'karpenter.k8s.aws/instance-family': 'm5',
    'eks.amazonaws.com/instance-family': 'm5',
    'kubernetes.io/arch': 'amd64',
    'eks.amazonaws.com/compute-type': 'auto',
  });
});
