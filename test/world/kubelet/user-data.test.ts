import { readUserData } from '../../../world/kubelet/user-data.js';

const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

function mime(...parts: readonly (readonly [type: string, body: string])[]): string {
  const sections = parts.map(([type, body]) => `--//\nContent-Type: ${type}\n\n${body}\n`);
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n${sections.join('\n')}\n--//--\n`;
}

const nodeConfig = (kubelet: readonly string[]): string =>
  [
    'apiVersion: node.eks.aws/v1alpha1',
    'kind: NodeConfig',
    'spec:',
    '  cluster: {name: demo}',
    '  kubelet:',
    ...kubelet,
  ].join('\n');

describe('readUserData', () => {
  test('reads the NodeConfig of AL2023 from its MIME part', () => {
    const text = mime(
      ['text/x-shellscript; charset="us-ascii"', '#!/bin/bash\necho hello'],
      [
        'application/node.eks.aws',
        nodeConfig([
          '    config: {maxPods: 29, kubeReserved: {cpu: 70m}}',
          '    flags: ["--node-labels=karpenter.sh/nodepool=general,team=a", "--register-with-taints=karpenter.sh/unregistered:NoExecute,dedicated=gpu:NoSchedule"]',
        ]),
      ],
    );
    expect(readUserData(text)).toEqual({
      family: 'AL2023',
      labels: { 'karpenter.sh/nodepool': 'general', team: 'a' },
      taints: [UNREGISTERED, { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
      settings: { maxPods: 29, kubeReserved: { cpu: '70m' } },
    });
  });

  test('of several NodeConfigs the last one says what both say, and flags add up', () => {
    const text = mime(
      [
        'application/node.eks.aws',
        nodeConfig(['    config: {maxPods: 10, podsPerCore: 4}', '    flags: ["--node-labels=a=1,b=1"]']),
      ],
      [
        'application/node.eks.aws',
        nodeConfig(['    config: {maxPods: 20}', '    flags: ["--node-labels=b=2"]']),
      ],
    );
    const { labels, settings } = readUserData(text);
    expect(labels).toEqual({ a: '1', b: '2' });
    expect(settings).toEqual({ maxPods: 20, podsPerCore: 4 });
  });

  test("reads the arguments of AL2's bootstrap.sh", () => {
    const script = `#!/bin/bash -xe\n/etc/eks/bootstrap.sh 'demo' --apiserver-endpoint 'https://example' --use-max-pods false --kubelet-extra-args '--node-labels="karpenter.sh/nodepool=general,x=y" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=17'`;
    expect(readUserData(mime(['text/x-shellscript; charset="us-ascii"', script]))).toEqual({
      family: 'AL2',
      labels: { 'karpenter.sh/nodepool': 'general', x: 'y' },
      taints: [UNREGISTERED],
      settings: { maxPods: 17 },
    });
  });

  test("reads Bottlerocket's settings", () => {
    const toml = [
      '[settings.kubernetes]',
      'cluster-name = "demo"',
      'max-pods = 58',
      '',
      '[settings.kubernetes.node-labels]',
      '"karpenter.sh/nodepool" = "general"',
      "'quoted' = 'single'",
      '# a remark',
      '[settings.kubernetes.node-taints]',
      '"karpenter.sh/unregistered" = [',
      '  ":NoExecute",',
      ']',
      'dedicated = ["gpu:NoSchedule", "gpu:NoExecute"]',
      '[settings.kubernetes.eviction-hard]',
      '"memory.available" = "5%"',
    ].join('\n');
    const { family, labels, taints, settings } = readUserData(toml);
    expect(family).toBe('Bottlerocket');
    expect(labels).toEqual({ 'karpenter.sh/nodepool': 'general', quoted: 'single' });
    expect(taints).toEqual([
      UNREGISTERED,
      { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
      { key: 'dedicated', value: 'gpu', effect: 'NoExecute' },
    ]);
    expect(settings).toMatchObject({ maxPods: 58, evictionHard: { 'memory.available': '5%' } });
  });

  test.each(['', '#!/bin/sh\necho hi', 'apiVersion: node.eks.aws/v1alpha1\n  : : broken'])(
    'says nothing of what it cannot read: %j',
    (text) => {
      expect(readUserData(text)).toMatchObject({ labels: {}, taints: [], family: undefined });
    },
  );
});
