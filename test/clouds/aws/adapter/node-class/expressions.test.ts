/** Kubelet expressions of a node class: refused as Karpenter refuses them, and the same numbers for planning and for nodes. */
import type { AmiFamily } from '../../../../../src/clouds/aws/families/families.js';
import { Catalogue } from '../../../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import {
  launchCall,
  launchIntent,
  offerings,
  sent,
  simulatedWorld,
  type SimulatedWorld,
} from '../simulated-world.js';

const NAMES = ['m5.large', 'm6i.large', 'm5.xlarge'];
const ALL = catalogueFor('eu-west-3');
const CATALOGUE = new Catalogue({
  region: ALL.region,
  entries: ALL.entries.filter(({ facts }) => NAMES.includes(facts.name)),
});
const KUBELET = {
  maxPods: 'min(max_pods, vcpus * 10)',
  kubeReserved: { cpu: 'max(60, vcpus * 33)', memory: '11 * max_pods + 255', 'ephemeral-storage': 'vcpus' },
  systemReserved: { memory: '100Mi', pid: '1000 * vcpus' },
};

function worldOf(takesExpressions = true): SimulatedWorld {
  return simulatedWorld({
    simulator: { catalogue: CATALOGUE },
    // The last with images of Amazon Linux 2.
    cloud: { catalogue: () => CATALOGUE, takesExpressions, cluster: { name: 'berth-demo', version: '1.32' } },
  });
}

async function refusalOf(kubelet: object, takesExpressions = true): Promise<unknown> {
  const { cloud } = worldOf(takesExpressions);
  const { refusal, problems } = await cloud.resolveNodeClass(ec2NodeClass({ kubelet }));
  expect(problems).toEqual(refusal === undefined ? [] : [refusal.message]);
  return refusal;
}

async function userDataOf(spec: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { aws, cloud } = worldOf();
  const { request } = await launchCall(cloud, {
    nodeClass: ec2NodeClass({ kubelet: KUBELET, ...spec }),
    offerings: NAMES.flatMap((name) => offerings(name, 'eu-west-3a')),
  });
  const templates = request.overrides.map(({ launchTemplate }) => launchTemplate?.id);
  expect(templates[0]).toBe(templates[1]);
  expect(templates[2]).not.toBe(templates[0]);
  return sent(aws, 'ec2:CreateLaunchTemplate').map((fields) =>
    Buffer.from(fields['LaunchTemplateData.UserData'] ?? '', 'base64').toString(),
  );
}

describe('resolveNodeClass', () => {
  test('a node class whose expressions have a value for every type is not refused', async () => {
    expect(await refusalOf(KUBELET)).toBeUndefined();
  });

  test('expressions are refused unless they are enabled, and numbers never are', async () => {
    expect(await refusalOf(KUBELET, false)).toEqual({
      reason: 'KubeletExpressionsDisabled',
      message:
        'spec.kubelet.maxPods, spec.kubelet.kubeReserved.cpu, spec.kubelet.kubeReserved.memory, spec.kubelet.kubeReserved.ephemeral-storage, spec.kubelet.systemReserved.pid: CEL expressions need --kubelet-expressions=yes (settings.awsFeatureGates.nodeClassCEL of the chart); set it, or write numbers',
    });
    expect(await refusalOf({ maxPods: 10, kubeReserved: { cpu: '100m' } }, false)).toBeUndefined();
  });

  test('all expressions that do not compile are named', async () => {
    expect(await refusalOf({ maxPods: 'min(110,', systemReserved: { memory: '100mm' } })).toEqual({
      reason: 'KubeletExpressionInvalid',
      message: expect.stringMatching(
        /^spec\.kubelet\.maxPods \("min\(110,"\) unexpected token: EOF; spec\.kubelet\.systemReserved\.memory \("100mm"\) /,
      ) as string,
    });
  });

  test.each([
    [
      'is negative',
      { maxPods: 'vcpus - 3' },
      'spec.kubelet.maxPods ("vcpus - 3") is -1, and must not be negative for m5.large',
    ],
    [
      'is more than a kubelet takes',
      { maxPods: '2147483648' },
      'spec.kubelet.maxPods ("2147483648") is 2147483648; at most 2147483647 is allowed for m5.large',
    ],
    [
      'divides by zero',
      { systemReserved: { memory: '1048576 / (vcpus - 2)' } },
      'spec.kubelet.systemReserved.memory ("1048576 / (vcpus - 2)") cannot be evaluated: division by zero for m5.large',
    ],
  ])('an expression that %s for some type refuses the node class', async (_what, kubelet, message) => {
    const refusal = await refusalOf(kubelet);
    expect(refusal).toMatchObject({
      reason: 'KubeletExpressionEvaluationFailed',
      message: expect.stringContaining(message) as string,
    });
  });

  test('a class that is refused is not launched from', async () => {
    const { cloud } = worldOf();
    const nodeClass = ec2NodeClass({ kubelet: { maxPods: '0 - 1' } });
    await expect(cloud.prepareLaunch(launchIntent({ nodeClass }))).rejects.toThrow(
      'must not be negative for m5.large',
    );
  });
});

describe('a launch', () => {
  const CUSTOM = {
    amiFamily: 'Custom',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    userData: '#!/bin/sh',
  };

  test.each<[AmiFamily, string, readonly RegExp[]]>([
    [
      'AL2023',
      'al2023',
      [/maxPods: 20\b/, /cpu: 70m/, /memory: 480Mi/, /ephemeral-storage: 2Gi/, /pid: "?2000"?/],
    ],
    [
      'AL2',
      'al2',
      [
        /--max-pods=20\b/,
        /--kube-reserved="cpu=70m,memory=480Mi,ephemeral-storage=2Gi"/,
        /memory=100Mi,pid=2000/,
      ],
    ],
    [
      'Bottlerocket',
      'bottlerocket',
      [/max-pods = 20\b/, /cpu = ["']70m["']/, /memory = ["']480Mi["']/, /pid = ["']2000["']/],
    ],
    ['Windows2022', 'windows2022', [/--max-pods=20\b/, /cpu=70m,memory=480Mi/, /memory=100Mi,pid=2000/]],
  ])(
    'of %s puts the numbers into user data, one launch template for those that are equal',
    async (_family, alias, wanted) => {
      const texts = await userDataOf({ amiSelectorTerms: [{ alias: `${alias}@latest` }] });
      expect(texts).toHaveLength(2);
      for (const pattern of wanted) expect(texts.filter((text) => pattern.test(text))).toHaveLength(1);
      expect(texts.join('')).not.toMatch(/vcpus|max_pods/);
    },
  );

  test('of a custom image leaves user data alone', async () => {
    const { aws, cloud } = worldOf();
    await launchCall(cloud, { nodeClass: ec2NodeClass({ kubelet: KUBELET, ...CUSTOM }) });
    const [fields] = sent(aws, 'ec2:CreateLaunchTemplate');
    const text = Buffer.from(fields?.['LaunchTemplateData.UserData'] ?? '', 'base64').toString();
    expect(text).toBe('#!/bin/sh');
  });
});

describe('planning', () => {
  test('counts the same numbers', () => {
    const types = CATALOGUE.forNodeClass(ec2NodeClass({ kubelet: KUBELET }));
    const of = (name: string) => types.find((type) => type.name === name);
    const large = of('m5.large');
    expect(large?.capacity.get('pods')).toBe(20);
    expect(large?.allocatable.get('cpu')).toBe(2000 - 70);
    expect(large?.allocatable.get('memory')).toBe((7577 - 480 - 100 - 100) * 2 ** 20);
    expect(of('m5.xlarge')?.capacity.get('pods')).toBe(40);
    expect(of('m5.xlarge')?.allocatable.get('cpu')).toBe(4000 - 140);
  });

  test('max_pods in maxPods is that of the image, and elsewhere what comes of it', () => {
    const kubelet = { maxPods: 'max_pods + 1', podsPerCore: 8, kubeReserved: { memory: 'max_pods' } };
    const [large] = CATALOGUE.forNodeClass(ec2NodeClass({ kubelet }));
    expect(large?.name).toBe('m5.large');
    expect(large?.capacity.get('pods')).toBe(16);
    expect(large?.allocatable.get('memory')).toBe((7577 - 16 - 100) * 2 ** 20);
  });

  test('types for which an expression has no value have no offerings, and the others have theirs', () => {
    const types = CATALOGUE.forNodeClass(ec2NodeClass({ kubelet: { maxPods: '8 / (vcpus - 2)' } }));
    expect(types.map(({ name, offerings: { length } }) => [name, length > 0])).toEqual(
      CATALOGUE.entries.map(({ facts }) => [facts.name, facts.vcpu > 2]),
    );
  });

  test('node classes with different expressions have different types', () => {
    const of = (text: string) => CATALOGUE.forNodeClass(ec2NodeClass({ kubelet: { maxPods: text } }));
    expect(of('vcpus * 4')).not.toBe(of('vcpus * 5'));
    expect(of('vcpus * 4')).toBe(of('vcpus * 4'));
  });
});
