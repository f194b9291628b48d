import {
  betaNodeClass,
  decodeNodeClass,
  errorsOf,
  nodeClass,
  nodeTemplate,
  warningsOf,
  type Plain,
} from '../../../apis/policies-as-written.js';

const GIB = 2 ** 30;
const classOf = (spec: Plain) => decodeNodeClass(nodeClass(spec)).nodeClass;
const device = (deviceName: string, ebs: Plain, others: Plain = {}): Plain => ({
  deviceName,
  ebs,
  ...others,
});

const OTHER_FAMILIES = [
  ['bottlerocket@latest', 'Bottlerocket'],
  ['al2@latest', 'AL2'],
  ['windows2022@latest', 'Windows2022'],
] as const;

describe('EC2NodeClass of karpenter.k8s.aws/v1', () => {
  test('has the defaults of Karpenter', () => {
    const { nodeClass: planned, document } = decodeNodeClass(nodeClass());
    expect(planned).toEqual({
      name: 'default',
      amiFamily: 'AL2023',
      kubelet: {
        maxPods: undefined,
        podsPerCore: undefined,
        systemReserved: new Map(),
        kubeReserved: undefined,
        evictionHard: new Map(),
      },
      rootVolumeBytes: 20 * GIB,
      instanceStoreRaid0: false,
    });
    expect(document.spec.metadataOptions).toEqual({
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 1,
      httpTokens: 'required',
    });
  });

  test('reads every field', () => {
    const spec = {
      amiFamily: 'Custom',
      amiSelectorTerms: [
        { id: 'ami-0a1b' },
        { name: 'my-*', owner: 'self' },
        { tags: { a: '*' } },
        { ssmParameter: '/my/ami' },
      ],
      subnetSelectorTerms: [{ id: 'subnet-1' }, { tags: { a: 'b' } }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }, { name: 'nodes' }],
      capacityReservationSelectorTerms: [
        { id: 'cr-1' },
        { ownerID: '123456789012', tags: { a: 'b' } },
        { instanceMatchCriteria: 'open' },
      ],
      placementGroupSelector: { name: 'close' },
      role: undefined,
      instanceProfile: 'profile',
      associatePublicIPAddress: false,
      ipPrefixCount: 2,
      userData: '#!/bin/bash',
      tags: { team: 'a' },
      context: 'x',
      detailedMonitoring: true,
      instanceStorePolicy: 'RAID0',
      kubelet: {
        clusterDNS: ['10.0.0.10'],
        maxPods: 58,
        podsPerCore: 4,
        systemReserved: { cpu: '100m', memory: '100Mi', pid: '100' },
        kubeReserved: { cpu: '200m' },
        evictionHard: { 'memory.available': '5%', 'nodefs.available': '1Gi' },
        evictionSoft: { 'memory.available': '500Mi' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s' },
        evictionMaxPodGracePeriod: 60,
        imageGCHighThresholdPercent: 85,
        imageGCLowThresholdPercent: 80,
        cpuCFSQuota: true,
        serializeImagePulls: false,
      },
      blockDeviceMappings: [
        device('/dev/xvda', {
          volumeSize: '4Gi',
          volumeType: 'gp3',
          iops: 3000,
          throughput: 125,
          encrypted: true,
          deleteOnTermination: true,
        }),
        device(
          '/dev/xvdb',
          { volumeSize: '1Ti', snapshotID: 'snap-1', volumeInitializationRate: 100, kmsKeyID: 'k' },
          { rootVolume: true },
        ),
      ],
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
      ],
      metadataOptions: { httpPutResponseHopLimit: 3, httpTokens: 'optional' },
      connectionTracking: { tcpEstablishedTimeout: 300 },
      cpuOptions: { nestedVirtualization: 'enabled' },
      enclaveOptions: { enabled: true },
    };
    const { nodeClass: planned, document } = decodeNodeClass(nodeClass(spec));
    expect(planned).toEqual({
      name: 'default',
      amiFamily: 'Custom',
      kubelet: {
        maxPods: 58,
        podsPerCore: 4,
        systemReserved: new Map([
          ['cpu', 100],
          ['memory', 100 * 2 ** 20],
          ['pid', 100],
        ]),
        kubeReserved: new Map([['cpu', 200]]),
        evictionHard: new Map([
          ['memory.available', '5%'],
          ['nodefs.available', '1Gi'],
        ]),
      },
      rootVolumeBytes: 1024 * GIB,
      instanceStoreRaid0: true,
    });
    expect(JSON.parse(JSON.stringify(document.spec))).toEqual({
      ...(JSON.parse(JSON.stringify(spec)) as Plain),
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpProtocolIPv6: 'disabled',
        httpPutResponseHopLimit: 3,
        httpTokens: 'optional',
      },
    });
  });

  test.each([
    ['al2@latest', 'AL2'],
    ['al2023@v20240807', 'AL2023'],
    ['bottlerocket@v1.20.0', 'Bottlerocket'],
    ['windows2022@latest', 'Windows2022'],
  ])('the alias %s is of family %s', (alias, family) => {
    expect(classOf({ amiSelectorTerms: [{ alias }] }).amiFamily).toBe(family);
  });

  test.each<[string, string, Plain[], number]>([
    [
      'the marked volume',
      'al2023@latest',
      [
        device('/dev/xvda', { volumeSize: '10Gi' }),
        device('/dev/xvdb', { volumeSize: '50Gi' }, { rootVolume: true }),
      ],
      50,
    ],
    [
      'the usual device of the family',
      'al2023@latest',
      [device('/dev/xvdb', { volumeSize: '50Gi' }), device('/dev/xvda', { volumeSize: '10Gi' })],
      10,
    ],
    [
      "Bottlerocket's data volume",
      'bottlerocket@latest',
      [device('/dev/xvda', { volumeSize: '4Gi' }), device('/dev/xvdb', { volumeSize: '70Gi' })],
      70,
    ],
    ['the default where no device counts', 'al2@latest', [device('/dev/sdz', { volumeSize: '70Gi' })], 20],
    [
      'the default for a snapshot of unknown size',
      'al2@latest',
      [device('/dev/xvda', { snapshotID: 'snap-1' })],
      20,
    ],
    ['the larger default of Windows', 'windows2022@latest', [], 50],
  ])('ephemeral storage is %s', (_, alias, blockDeviceMappings, gib) => {
    expect(classOf({ amiSelectorTerms: [{ alias }], blockDeviceMappings }).rootVolumeBytes).toBe(gib * GIB);
  });

  test('ephemeral storage of a custom AMI is its last volume', () => {
    const blockDeviceMappings = [
      device('/dev/sda', { volumeSize: '10Gi' }),
      device('/dev/sdb', { volumeSize: '99G' }),
    ];
    expect(
      classOf({ amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }], blockDeviceMappings })
        .rootVolumeBytes,
    ).toBe(99e9);
  });

  describe('berth.maxVolumeSize', () => {
    const most = (spec: Plain, maxVolumeSize = '500Gi') =>
      decodeNodeClass({ ...nodeClass(spec), berth: { maxVolumeSize } }).nodeClass.maxRootVolumeBytes;

    test('lets the root volume grow', () => {
      expect(most({})).toBe(500 * GIB);
      expect(most({ blockDeviceMappings: [device('/dev/xvda', { volumeSize: '70Gi' })] })).toBe(500 * GIB);
    });

    test('says nothing where it is no more than the size, or the size is not ours', () => {
      expect(most({}, '20Gi')).toBeUndefined();
      expect(most({ amiFamily: 'Custom' })).toBeUndefined();
      expect(most({ blockDeviceMappings: [device('/dev/xvda', { snapshotID: 'snap-1' })] })).toBeUndefined();
      expect(most({ blockDeviceMappings: [device('/dev/sdz', { volumeSize: '70Gi' })] })).toBeUndefined();
    });

    test('must be a size', () => {
      expect(errorsOf({ ...nodeClass(), berth: { maxVolumeSize: 'much' } })).toEqual([
        'invalid-value berth.maxVolumeSize',
      ]);
    });
  });

  test.each<[string, Plain, string]>([
    ['neither role nor instance profile', { role: undefined }, 'missing-field spec'],
    ['both', { instanceProfile: 'p' }, 'conflict spec.instanceProfile'],
    ['an empty role', { role: '' }, 'invalid-value spec.role'],
    ['no AMI terms', { amiSelectorTerms: undefined }, 'missing-field spec.amiSelectorTerms'],
    [
      'terms without alias and family',
      { amiSelectorTerms: [{ id: 'ami-1' }] },
      'missing-field spec.amiFamily',
    ],
    ['another family than the alias', { amiFamily: 'Bottlerocket' }, 'conflict spec.amiFamily'],
    [
      'an alias beside another term',
      { amiSelectorTerms: [{ alias: 'al2@latest' }, { id: 'ami-1' }], amiFamily: 'AL2' },
      'conflict spec.amiSelectorTerms.0.alias',
    ],
    [
      'an alias with an owner',
      { amiSelectorTerms: [{ alias: 'al2@latest', owner: 'self' }] },
      'conflict spec.amiSelectorTerms.0.alias',
    ],
    [
      'an alias of an unknown family',
      { amiSelectorTerms: [{ alias: 'ubuntu@latest' }] },
      'invalid-value spec.amiSelectorTerms.0.alias',
    ],
    [
      'a pinned Windows',
      { amiSelectorTerms: [{ alias: 'windows2019@v1' }] },
      'invalid-value spec.amiSelectorTerms.0.alias',
    ],
    [
      'a term with an owner alone',
      { amiSelectorTerms: [{ owner: 'self' }], amiFamily: 'AL2' },
      'missing-field spec.amiSelectorTerms.0',
    ],
    [
      'too many terms',
      { subnetSelectorTerms: Array(31).fill({ id: 'subnet-1' }) },
      'invalid-value spec.subnetSelectorTerms',
    ],
    [
      'an id that is none',
      { subnetSelectorTerms: [{ id: 'sn-1' }] },
      'invalid-value spec.subnetSelectorTerms.0.id',
    ],
    [
      'an empty tag',
      { subnetSelectorTerms: [{ tags: { a: '' } }] },
      'invalid-value spec.subnetSelectorTerms.0.tags.a',
    ],
    [
      'a name beside tags',
      { securityGroupSelectorTerms: [{ name: 'a', tags: { a: 'b' } }] },
      'conflict spec.securityGroupSelectorTerms.0.name',
    ],
    [
      'a short account id',
      { capacityReservationSelectorTerms: [{ ownerID: '12', tags: { a: 'b' } }] },
      'invalid-value spec.capacityReservationSelectorTerms.0.ownerID',
    ],
    [
      'an empty placement group selector',
      { placementGroupSelector: {} },
      'missing-field spec.placementGroupSelector',
    ],
    [
      'tags of the controller',
      { tags: { 'karpenter.sh/nodepool': 'a' } },
      'restricted-tag spec.tags.karpenter.sh/nodepool',
    ],
    ['tags of Berth', { tags: { 'berth.sh/cluster': 'a' } }, 'restricted-tag spec.tags.berth.sh/cluster'],
    [
      'an unknown disk type',
      { blockDeviceMappings: [device('/dev/xvda', { volumeSize: '1Gi', volumeType: 'gp4' })] },
      'invalid-value spec.blockDeviceMappings.0.ebs.volumeType',
    ],
    [
      'a disk in MiB',
      { blockDeviceMappings: [device('/dev/xvda', { volumeSize: '1024Mi' })] },
      'invalid-value spec.blockDeviceMappings.0.ebs.volumeSize',
    ],
    [
      'a disk that is too large',
      { blockDeviceMappings: [device('/dev/xvda', { volumeSize: '65T' })] },
      'invalid-value spec.blockDeviceMappings.0.ebs.volumeSize',
    ],
    [
      'an initialisation rate without snapshot',
      { blockDeviceMappings: [device('/dev/xvda', { volumeSize: '1Gi', volumeInitializationRate: 100 })] },
      'missing-field spec.blockDeviceMappings.0.ebs.volumeInitializationRate',
    ],
    [
      'too few IOPS',
      { blockDeviceMappings: [device('/dev/xvda', { volumeSize: '1Gi', volumeType: 'gp3', iops: 100 })] },
      'invalid-value spec.blockDeviceMappings.0.ebs.iops',
    ],
    [
      'throughput of io2',
      {
        blockDeviceMappings: [device('/dev/xvda', { volumeSize: '1Gi', volumeType: 'io2', throughput: 200 })],
      },
      'conflict spec.blockDeviceMappings.0.ebs.throughput',
    ],
    [
      'an unknown instance store policy',
      { instanceStorePolicy: 'RAID10' },
      'invalid-value spec.instanceStorePolicy',
    ],
    [
      'a hop limit of 65',
      { metadataOptions: { httpPutResponseHopLimit: 65 } },
      'invalid-value spec.metadataOptions.httpPutResponseHopLimit',
    ],
    [
      'connection tracking without a timeout',
      { connectionTracking: {} },
      'missing-field spec.connectionTracking',
    ],
    [
      'interfaces without a primary one',
      { networkInterfaces: [{ networkCardIndex: 1, deviceIndex: 0, interfaceType: 'interface' }] },
      'missing-field spec.networkInterfaces',
    ],
    [
      'a second adapter on one card',
      {
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
          { networkCardIndex: 0, deviceIndex: 2, interfaceType: 'efa-only' },
        ],
      },
      'duplicate spec.networkInterfaces.2',
    ],
    [
      'reservations of gpus',
      { kubelet: { systemReserved: { gpu: '1' } } },
      'unknown-field spec.kubelet.systemReserved.gpu',
    ],
    [
      'a negative reservation',
      { kubelet: { kubeReserved: { memory: '-1Gi' } } },
      'invalid-value spec.kubelet.kubeReserved.memory',
    ],
    [
      'an empty reservation',
      { kubelet: { kubeReserved: { memory: '' } } },
      'invalid-value spec.kubelet.kubeReserved.memory',
    ],
    [
      'an expression of more than 1000 characters',
      { kubelet: { kubeReserved: { memory: `vcpus${' + 1'.repeat(250)}` } } },
      'invalid-value spec.kubelet.kubeReserved.memory',
    ],
    ['a number of pods below zero', { kubelet: { maxPods: -1 } }, 'invalid-value spec.kubelet.maxPods'],
    [
      'an eviction above 100 percent',
      { kubelet: { evictionHard: { 'memory.available': '101%' } } },
      'invalid-value spec.kubelet.evictionHard.memory.available',
    ],
    [
      'an unknown eviction signal',
      { kubelet: { evictionHard: { memory: '5%' } } },
      'unknown-field spec.kubelet.evictionHard.memory',
    ],
    [
      'image thresholds the wrong way round',
      { kubelet: { imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 60 } },
      'invalid-value spec.kubelet.imageGCHighThresholdPercent',
    ],
    ['a launch template', { launchTemplate: 'mine' }, 'unknown-field spec.launchTemplate'],
    [
      'podsPerCore, which Bottlerocket does not have',
      { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], kubelet: { podsPerCore: 4 } },
      'unsupported spec.kubelet.podsPerCore',
    ],
    ...OTHER_FAMILIES.map(([alias, family]): [string, Plain, string] => [
      `an unlisted kubelet setting on ${family}`,
      { amiSelectorTerms: [{ alias }], kubelet: { serializeImagePulls: false } },
      'unsupported spec.kubelet.serializeImagePulls',
    ]),
    [
      'two DNS servers on Windows',
      {
        amiSelectorTerms: [{ alias: 'windows2022@latest' }],
        kubelet: { clusterDNS: ['10.0.0.10', '10.0.0.11'] },
      },
      'unsupported spec.kubelet.clusterDNS',
    ],
  ])('refuses %s', (_, spec, error) => {
    expect(errorsOf(nodeClass(spec))).toEqual([error]);
  });

  test('takes any kubelet setting where the user data hands it on, or is the user’s own', () => {
    const kubelet = { podsPerCore: 4, serializeImagePulls: false, clusterDNS: ['10.0.0.10', '10.0.0.11'] };
    expect(errorsOf(nodeClass({ kubelet }))).toEqual([]);
    expect(errorsOf(nodeClass({ kubelet, amiFamily: 'Custom' }))).toEqual([]);
  });

  test('takes CEL expressions for maxPods and reservations, and numbers beside them', () => {
    const kubelet = {
      maxPods: 'min(110, max_pods)',
      kubeReserved: { cpu: 'vcpus * 30', memory: '512Mi' },
      systemReserved: { cpu: '100m' },
    };
    expect(errorsOf(nodeClass({ kubelet }))).toEqual([]);
    expect(warningsOf(nodeClass({ kubelet }))).toEqual([]);
    expect(classOf({ kubelet })).toMatchObject({
      kubelet: {
        maxPods: undefined,
        kubeReserved: new Map([['memory', 512 * 2 ** 20]]),
        systemReserved: new Map([['cpu', 100]]),
        expressions: {
          maxPods: 'min(110, max_pods)',
          kubeReserved: new Map([['cpu', 'vcpus * 30']]),
          systemReserved: new Map(),
        },
      },
    });
    expect(classOf({ kubelet: { maxPods: 110 } })).not.toHaveProperty('kubelet.expressions');
  });

  test('takes what is neither a quantity nor an expression, as Karpenter does', () => {
    expect(errorsOf(nodeClass({ kubelet: { systemReserved: { memory: '100mm' } } }))).toEqual([]);
  });

  test('reads the selectors of node templates, with a warning that names the new field', () => {
    const object = nodeClass({
      subnetSelectorTerms: undefined,
      securityGroupSelectorTerms: undefined,
      subnetSelector: { 'karpenter.sh/discovery': 'a,b' },
      securityGroupSelector: { 'aws-ids': 'sg-1' },
    });
    const { spec } = decodeNodeClass(object).document;
    expect(spec.subnetSelectorTerms).toEqual([
      { tags: { 'karpenter.sh/discovery': 'a' } },
      { tags: { 'karpenter.sh/discovery': 'b' } },
    ]);
    expect(spec.securityGroupSelectorTerms).toEqual([{ id: 'sg-1' }]);
    expect(warningsOf(object).join('\n')).toMatch(
      /spec\.subnetSelectorTerms[^]*spec\.securityGroupSelectorTerms/,
    );
  });

  test('refuses an older selector beside the terms that replaced it', () => {
    expect(errorsOf(nodeClass({ subnetSelector: { a: 'b' } }))).toEqual([
      'unknown-field spec.subnetSelector',
    ]);
  });
});

describe('EC2NodeClass of karpenter.k8s.aws/v1beta1', () => {
  test('starts the newest AMI of its family, and has a hop limit of 2', () => {
    const { document } = decodeNodeClass(betaNodeClass({ amiFamily: 'Bottlerocket' }));
    expect(document.spec.amiSelectorTerms).toEqual([{ alias: 'bottlerocket@latest' }]);
    expect(document.spec.metadataOptions.httpPutResponseHopLimit).toBe(2);
  });

  test('keeps its family beside terms', () => {
    const { document } = decodeNodeClass(
      betaNodeClass({ amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }] }),
    );
    expect(document.spec).toMatchObject({ amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }] });
  });

  test("reads Ubuntu as AL2 with Ubuntu's root volume", () => {
    const { document } = decodeNodeClass(
      betaNodeClass({ amiFamily: 'Ubuntu', amiSelectorTerms: [{ id: 'ami-1' }] }),
    );
    expect(document.spec).toMatchObject({
      amiFamily: 'AL2',
      blockDeviceMappings: [{ deviceName: '/dev/sda1', rootVolume: true }],
    });
  });

  test.each([['Custom'], ['Ubuntu']])('refuses %s without terms', (amiFamily) => {
    expect(errorsOf(betaNodeClass({ amiFamily }))).toEqual(['missing-field spec.amiSelectorTerms']);
  });

  test('refuses what came with v1', () => {
    expect(errorsOf(betaNodeClass({ kubelet: {} }))).toEqual(['unknown-field spec.kubelet']);
  });
});

describe('AWSNodeTemplate of karpenter.k8s.aws/v1alpha1', () => {
  test('is AL2 with a hop limit of 2 when it says nothing', () => {
    expect(decodeNodeClass(nodeTemplate()).document.spec).toMatchObject({
      amiSelectorTerms: [{ alias: 'al2@latest' }],
      metadataOptions: { httpPutResponseHopLimit: 2, httpTokens: 'required' },
    });
  });

  test('reads its selectors as one term per combination of values', () => {
    const { spec } = decodeNodeClass(
      nodeTemplate({
        subnetSelector: { Name: 'a, b', zone: 'x' },
        securityGroupSelector: { 'aws::ids': 'sg-1,sg-2' },
        amiSelector: { 'aws::name': 'n1,n2', 'aws::owners': 'self', team: 'a' },
      }),
    ).document;
    expect(spec.subnetSelectorTerms).toEqual([
      { tags: { Name: 'a', zone: 'x' } },
      { tags: { Name: 'b', zone: 'x' } },
    ]);
    expect(spec.securityGroupSelectorTerms).toEqual([{ id: 'sg-1' }, { id: 'sg-2' }]);
    expect(spec.amiSelectorTerms).toEqual([
      { name: 'n1', owner: 'self', tags: { team: 'a' } },
      { name: 'n2', owner: 'self', tags: { team: 'a' } },
    ]);
    expect(spec.amiFamily).toBe('AL2');
  });

  test.each([
    ['20Gi', '20Gi'],
    ['20480Mi', '20Gi'],
    ['20000Mi', '20Gi'],
    [21474836480, '20Gi'],
    ['100G', '100G'],
    ['64T', '64T'],
    ['63000G', '63000G'],
    ['63900000M', '64T'],
  ])('writes a volume of %j as %s', (volumeSize, expected) => {
    const { spec } = decodeNodeClass(
      nodeTemplate({ blockDeviceMappings: [device('/dev/xvda', { volumeSize })] }),
    ).document;
    expect(spec.blockDeviceMappings?.[0]?.ebs?.volumeSize).toBe(expected);
  });

  test('leaves the role to be filled in where it had a global default', () => {
    const object = nodeTemplate({ instanceProfile: undefined });
    expect(decodeNodeClass(object).document.spec.role).toBe('REPLACE_WITH_NODE_ROLE');
    expect(warningsOf(object).join('\n')).toContain('has no instanceProfile');
  });

  test.each<[string, Plain, string]>([
    [
      'a launch template',
      { launchTemplate: 'mine', securityGroupSelector: undefined },
      'unsupported spec.launchTemplate',
    ],
    ['no security groups', { securityGroupSelector: undefined }, 'missing-field spec.securityGroupSelector'],
    [
      'ids beside tags',
      { subnetSelector: { 'aws-ids': 'subnet-1', a: 'b' } },
      'conflict spec.subnetSelector.aws-ids',
    ],
    [
      'ids of something else',
      { subnetSelector: { 'aws-ids': 'sg-1' } },
      'invalid-value spec.subnetSelector.aws-ids',
    ],
    ['an empty value', { subnetSelector: { a: '' } }, 'invalid-value spec.subnetSelector.a'],
    ['an empty selector', { subnetSelector: {} }, 'invalid-value spec.subnetSelector'],
    [
      'more combinations than terms',
      { subnetSelector: { a: '1,2,3,4,5,6', b: '1,2,3,4,5,6' } },
      'invalid-value spec.subnetSelector',
    ],
    ['Custom without AMIs', { amiFamily: 'Custom' }, 'missing-field spec.amiSelector'],
    [
      'a tiny volume',
      { blockDeviceMappings: [device('/dev/xvda', { volumeSize: 100 })] },
      'invalid-value spec.blockDeviceMappings.0.ebs.volumeSize',
    ],
  ])('refuses %s', (_, spec, error) => {
    expect(errorsOf(nodeTemplate(spec))).toEqual([error]);
  });
});
