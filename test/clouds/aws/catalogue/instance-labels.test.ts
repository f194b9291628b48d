import { embeddedTypes } from '../../../../src/clouds/aws/catalogue/embedded/embedded-types.js';
import { instanceLabels } from '../../../../src/clouds/aws/catalogue/instance-labels.js';
import { isLabelKey, isLabelValue } from '../../../../src/domain/values/labels.js';

const P = 'karpenter.k8s.aws/instance-';

function labels(name: string): Readonly<Record<string, string>> {
  const type = embeddedTypes().get(name);
  if (!type) throw new Error(`no ${name}`);
  return Object.fromEntries(instanceLabels(type.facts, 'eu-west-3'));
}

describe('instanceLabels', () => {
  test('are all that Karpenter sets, with nothing that does not apply', () => {
    expect(labels('m5.large')).toEqual({
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/region': 'eu-west-3',
      [`${P}category`]: 'm',
      [`${P}family`]: 'm5',
      [`${P}generation`]: '5',
      [`${P}size`]: 'large',
      [`${P}capability-flex`]: 'false',
      [`${P}cpu`]: '2',
      [`${P}cpu-manufacturer`]: 'intel',
      [`${P}cpu-sustained-clock-speed-mhz`]: '3100',
      [`${P}memory`]: '8192',
      [`${P}hypervisor`]: 'nitro',
      [`${P}encryption-in-transit-supported`]: 'false',
      [`${P}network-bandwidth`]: '750',
      [`${P}ebs-bandwidth`]: '4750',
      [`${P}tenancy`]: 'default',
    });
  });

  test.each([
    [
      'm7gd.4xlarge',
      { 'kubernetes.io/arch': 'arm64', [`${P}cpu-manufacturer`]: 'aws', [`${P}local-nvme`]: '950' },
    ],
    ['c7i-flex.large', { [`${P}capability-flex`]: 'true', [`${P}family`]: 'c7i-flex' }],
    ['m4.large', { [`${P}hypervisor`]: 'xen' }],
    ['m5.metal', { [`${P}hypervisor`]: '', [`${P}size`]: 'metal', [`${P}cpu`]: '96' }],
    ['c6i.large', { [`${P}encryption-in-transit-supported`]: 'true' }],
    ['u-6tb1.112xlarge', { [`${P}category`]: 'u', [`${P}generation`]: '1', [`${P}memory`]: '6291456' }],
    [
      'g5.48xlarge',
      {
        [`${P}gpu-name`]: 'a10g',
        [`${P}gpu-manufacturer`]: 'nvidia',
        [`${P}gpu-count`]: '8',
        [`${P}gpu-memory`]: '22888',
      },
    ],
    [
      'inf2.24xlarge',
      {
        [`${P}accelerator-name`]: 'inferentia2',
        [`${P}accelerator-manufacturer`]: 'aws',
        [`${P}accelerator-count`]: '6',
      },
    ],
  ])('of %s tell what is special', (name, expected) => {
    expect(labels(name)).toMatchObject(expected);
  });

  test('of a type that only a file knows tell what its name and the file say', () => {
    const type = embeddedTypes().get('m5.large');
    const unknown = {
      cpuManufacturer: undefined,
      clockMHz: undefined,
      hypervisor: undefined,
      encryptionInTransit: undefined,
    };
    const silent = { networkMbps: undefined, ebsMbps: undefined };
    const found = type && instanceLabels({ ...type.facts, ...unknown, ...silent, name: 'q12x.9xlarge' }, 'r');
    expect(
      [...(found?.keys() ?? [])].filter((key) => key.startsWith(P)).map((key) => key.slice(P.length)),
    ).toEqual([
      ...['category', 'family', 'generation', 'size', 'capability-flex', 'cpu', 'memory', 'tenancy'],
    ]);
    expect(found?.get(`${P}generation`)).toBe('12');
  });

  test('are valid labels for every type', () => {
    const all = [...embeddedTypes().values()].flatMap(({ facts }) => [...instanceLabels(facts, 'us-east-1')]);
    expect(all.filter(([key, value]) => !isLabelKey(key) || !isLabelValue(value))).toEqual([]);
  });
});
