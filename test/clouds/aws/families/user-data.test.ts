/** User data, to the letter: what nodes of each family are told. */
import { clusterDNS } from '../../../../src/clouds/aws/families/user-data/cluster-facts.js';
import { userDataFor } from '../../../../src/clouds/aws/families/user-data.js';
import type { UserDataQuestion } from '../../../../src/clouds/aws/families/user-data/user-data-question.js';
import type { AmiFamily } from '../../../../src/clouds/aws/families/families.js';
import { KUBELET, userDataQuestion } from './question.js';

function text(family: AmiFamily, overrides: Partial<UserDataQuestion> = {}): string {
  const userData = userDataFor(family, userDataQuestion(overrides));
  return 'text' in userData ? userData.text : `problem: ${userData.problem}`;
}

const LABELS = 'karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=general';
const TAINTS = 'team=a:NoSchedule,karpenter.sh/unregistered:NoExecute';

const NODE_CONFIG = `--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: berth-demo
    apiServerEndpoint: https://api.example.com
    certificateAuthority: Q0E=
    cidr: 10.100.0.0/16
  kubelet:
    flags:
      - --node-labels=${LABELS}
      - --register-with-taints=${TAINTS}

--//--
`;

const MIME_HEAD = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

`;

describe('AL2023', () => {
  test('a node gets one NodeConfig with the cluster and its labels and taints', () => {
    expect(text('AL2023')).toBe(`${MIME_HEAD}${NODE_CONFIG}`);
  });

  test('settings of the kubelet stand in its configuration, those that are not checked among them', () => {
    const kubelet = { ...KUBELET, registryPullQPS: 20 };
    expect(text('AL2023', { kubelet, isInstanceStoreRaid0: true })).toContain(`    cidr: 10.100.0.0/16
  instance:
    localStorage:
      strategy: RAID0
  kubelet:
    config:
      clusterDNS:
        - 10.100.0.53
      maxPods: 50
      podsPerCore: 8
      systemReserved:
        cpu: 100m
        memory: 100Mi
      kubeReserved:
        cpu: 200m
      evictionHard:
        memory.available: 5%
        nodefs.available: 10%
      evictionSoft:
        memory.available: 500Mi
      evictionSoftGracePeriod:
        memory.available: 1m
      evictionMaxPodGracePeriod: 60
      imageGCHighThresholdPercent: 85
      imageGCLowThresholdPercent: 80
      cpuCFSQuota: true
      registryPullQPS: 20
    flags:
`);
  });

  test("a user's shell script runs before", () => {
    expect(text('AL2023', { own: '#!/bin/bash\necho hello\n' })).toBe(`${MIME_HEAD}--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo hello

${NODE_CONFIG}`);
  });

  test("a user's NodeConfig comes before, so that ours is merged over it", () => {
    const own = 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  featureGates: {}\n';
    expect(text('AL2023', { own })).toBe(`${MIME_HEAD}--//
Content-Type: application/node.eks.aws

${own}
${NODE_CONFIG}`);
  });

  test("a user's MIME document keeps its parts, whatever its boundary", () => {
    const own = [
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed;',
      '  boundary="BOUND"',
      '',
      'a preamble that nobody reads',
      '--BOUND',
      'Content-Type: text/x-shellscript',
      'X-Mine: 1',
      '',
      '#!/bin/sh',
      'true',
      '--BOUND--',
      'and what comes behind',
    ].join('\r\n');
    expect(text('AL2023', { own })).toBe(`${MIME_HEAD}--//
Content-Type: text/x-shellscript
X-Mine: 1

#!/bin/sh
true

${NODE_CONFIG}`);
  });

  test('a part that contains the boundary gets another one', () => {
    const lines = text('AL2023', { own: '#!/bin/sh\ncat <<E\n--//\nE\n' }).split('\n');
    expect(lines[1]).toBe('Content-Type: multipart/mixed; boundary="///"');
    expect(lines.filter((line) => line === '--///')).toHaveLength(2);
    expect(lines.at(-2)).toBe('--///--');
  });

  test.each([
    [
      'hello',
      'problem: userData: must be a MIME document, a shell script that begins with #!, or a NodeConfig',
    ],
    ['kind: NodeConfig\n: [', 'problem: userData: must be a MIME document'],
    [
      'Content-Type: multipart/mixed\n\n--x\n',
      'problem: userData: its MIME header Content-Type has no boundary',
    ],
    [
      'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\nno part',
      'problem: userData: its MIME boundary --x never comes',
    ],
  ])('%j is refused', (own, expected) => {
    expect(text('AL2023', { own })).toContain(expected);
  });

  test('a MIME document that is not multipart is one part', () => {
    const own = 'Content-Type: text/cloud-config\n\npackages: [jq]\n';
    expect(text('AL2023', { own })).toContain(
      '--//\nContent-Type: text/cloud-config\n\npackages: [jq]\n\n--//',
    );
  });
});

describe('AL2', () => {
  test('a node calls the bootstrap script of its image', () => {
    expect(text('AL2')).toBe(`${MIME_HEAD}--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -xe
/etc/eks/bootstrap.sh 'berth-demo' \\
  --apiserver-endpoint 'https://api.example.com' \\
  --b64-cluster-ca 'Q0E=' \\
  --dns-cluster-ip '10.100.0.10' \\
  --kubelet-extra-args '--node-labels="${LABELS}" --register-with-taints="${TAINTS}"'

--//--
`);
  });

  test('in an IPv6 cluster the bootstrap script receives the family and the addresses of Services', () => {
    const { cluster } = userDataQuestion();
    expect(text('AL2', { cluster: { ...cluster, serviceCIDR: 'fd30:1c53:5f8a::/108' } }))
      .toContain(`  --b64-cluster-ca 'Q0E=' \\
  --ip-family ipv6 \\
  --service-ipv6-cidr 'fd30:1c53:5f8a::/108' \\
  --dns-cluster-ip 'fd30:1c53:5f8a::a' \\
`);
  });

  test('settings of the kubelet are flags', () => {
    expect(text('AL2', { kubelet: KUBELET, isInstanceStoreRaid0: true }))
      .toContain(`  --dns-cluster-ip '10.100.0.53' \\
  --use-max-pods false \\
  --local-disks raid0 \\
  --kubelet-extra-args '--node-labels="${LABELS}" --register-with-taints="${TAINTS}" --max-pods=50 --pods-per-core=8 --system-reserved="cpu=100m,memory=100Mi" --kube-reserved="cpu=200m" --eviction-hard="memory.available<5%,nodefs.available<10%" --eviction-soft="memory.available<500Mi" --eviction-soft-grace-period="memory.available=1m" --eviction-max-pod-grace-period=60 --image-gc-high-threshold=85 --image-gc-low-threshold=80 --cpu-cfs-quota=true'
`);
  });

  test('what a user writes is a script, and runs before', () => {
    const parts = text('AL2', { own: 'echo hello' }).split('--//\n');
    expect(parts[1]).toBe(
      'Content-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/bash -xe\necho hello\n\n',
    );
    expect(parts[2]).toContain('/etc/eks/bootstrap.sh');
  });
});

describe('Bottlerocket', () => {
  const KUBERNETES = `[settings.kubernetes]
cluster-name = "berth-demo"
api-server = "https://api.example.com"
cluster-certificate = "Q0E="
cluster-dns-ip = "10.100.0.10"
`;
  const NAMES = `[settings.kubernetes.node-labels]
"karpenter.sh/capacity-type" = "spot"
"karpenter.sh/nodepool" = "general"

[settings.kubernetes.node-taints]
team = ["a:NoSchedule"]
"karpenter.sh/unregistered" = [":NoExecute"]
`;

  test('a node gets its settings', () => {
    expect(text('Bottlerocket')).toBe(`${KUBERNETES}\n${NAMES}`);
  });

  test('settings of the kubelet have tables of their own', () => {
    const kubelet = { ...KUBELET, clusterDNS: ['10.100.0.53', '10.100.0.54'] };
    expect(text('Bottlerocket', { kubelet, isInstanceStoreRaid0: true })).toBe(`[settings.kubernetes]
cluster-name = "berth-demo"
api-server = "https://api.example.com"
cluster-certificate = "Q0E="
cluster-dns-ip = ["10.100.0.53","10.100.0.54"]
max-pods = 50
eviction-max-pod-grace-period = 60
image-gc-high-threshold-percent = "85"
image-gc-low-threshold-percent = "80"
cpu-cfs-quota-enforced = true

${NAMES}
[settings.kubernetes.eviction-hard]
"memory.available" = "5%"
"nodefs.available" = "10%"

[settings.kubernetes.eviction-soft]
"memory.available" = "500Mi"

[settings.kubernetes.eviction-soft-grace-period]
"memory.available" = "1m"

[settings.kubernetes.kube-reserved]
cpu = "200m"

[settings.kubernetes.system-reserved]
cpu = "100m"
memory = "100Mi"

[settings.bootstrap-commands.000-local-disks]
commands = [["apiclient", "ephemeral-storage", "init"], ["apiclient", "ephemeral-storage", "bind", "--dirs", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"]]
essential = true
mode = "always"
`);
  });

  test("a user's settings stay as they are, and ours are laid over them", () => {
    const own = `# mine
[settings.host-containers.admin]
enabled = true
[settings.kubernetes]
api-server = "https://another"   # replaced
allowed-unsafe-sysctls = [
  "net.core.somaxconn",  # ]
]
[settings.kubernetes.node-labels]
'own' = "label"
`;
    expect(text('Bottlerocket', { own })).toBe(`# mine
[settings.host-containers.admin]
enabled = true
${KUBERNETES}allowed-unsafe-sysctls = [
  "net.core.somaxconn",  # ]
]
[settings.kubernetes.node-labels]
"karpenter.sh/capacity-type" = "spot"
"karpenter.sh/nodepool" = "general"
'own' = "label"

[settings.kubernetes.node-taints]
team = ["a:NoSchedule"]
"karpenter.sh/unregistered" = [":NoExecute"]
`);
  });

  test('taints are those that are planned with, and a table of the kubelet is that of the class where it has one', () => {
    const own = `[settings.kubernetes.node-taints]
# of the image
dedicated = ["x:NoSchedule"]
team = ["b:NoExecute"]
[settings.kubernetes.kube-reserved]
memory = "1Gi"
[settings.kubernetes.system-reserved]
memory = "2Gi"
[settings.kubernetes.eviction-hard]
"memory.available" = "20%"
`;
    const kubelet = { kubeReserved: { cpu: '200m' }, evictionHard: {} };
    expect(text('Bottlerocket', { own, kubelet })).toBe(`[settings.kubernetes.node-taints]
team = ["a:NoSchedule"]
"karpenter.sh/unregistered" = [":NoExecute"]
# of the image
[settings.kubernetes.kube-reserved]
cpu = "200m"
[settings.kubernetes.system-reserved]
memory = "2Gi"
[settings.kubernetes.eviction-hard]

${KUBERNETES}
${NAMES.slice(0, NAMES.indexOf('\n\n'))}
`);
  });

  test.each([
    ['[settings]\nkubernetes.max-pods = 5', 'settings.kubernetes.max-pods must be written under the header'],
    ['[settings.kubernetes]\nnode-labels = { a = "b" }', 'settings.kubernetes.node-labels must be written'],
    ['settings = {}', 'settings must be written under the header [settings.kubernetes]'],
    ['[[settings.kubernetes]]', '[[settings.kubernetes]] must not be an array of tables'],
    ['[settings.kubernetes]\n[settings.kubernetes]', 'the table [settings.kubernetes] is there twice'],
    ['a = 1\nwhat is this', 'line 2 is no TOML'],
    ['a = [1,\n2', 'line 1 is no TOML'],
    ['a = """\nnever ends', 'line 1 is no TOML'],
    ['#!/bin/bash', ''],
  ])('%j is refused where it cannot be merged', (own, problem) => {
    const expected = problem === '' ? 'cluster-name' : `problem: userData: ${problem}`;
    expect(text('Bottlerocket', { own })).toContain(expected);
  });
});

describe('Windows', () => {
  const CALL = `[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'berth-demo' -APIServerEndpoint 'https://api.example.com' -Base64ClusterCA 'Q0E=' -KubeletExtraArgs '--node-labels="${LABELS}" --register-with-taints="${TAINTS}"' -DNSClusterIP '10.100.0.10'
</powershell>
`;

  test.each([
    [undefined, ''],
    ['Write-Host hello', 'Write-Host hello\n'],
    ['<powershell>\nWrite-Host hello\n</powershell>\n', 'Write-Host hello\n'],
  ])('%j runs before the bootstrap script', (own, lines) => {
    expect(text('Windows2022', { own })).toBe(`<powershell>\n${lines}${CALL}`);
  });

  test('two blocks are refused', () => {
    const own = '<powershell>\na\n</powershell>\n<powershell>\nb\n</powershell>';
    expect(text('Windows2025', { own })).toBe(
      'problem: userData: must be PowerShell, in one <powershell> block or in none',
    );
  });
});

test('what a custom image is told is what the user wrote', () => {
  const own = '#!/bin/sh\n./join\n';
  expect(text('Custom', { own })).toBe(own);
  expect(text('Custom')).toBe('');
});

test.each([
  ['AL2', /--use-max-pods false .*--max-pods=58/s],
  ['AL2023', /config:\n\s+maxPods: 58\n/],
  ['Bottlerocket', /\[settings\.kubernetes\][^[]*\nmax-pods = 58\n/],
  ['Windows2022', /--max-pods=58/],
] as const)(
  'the kubelet of %s gets the number of pods that it takes, whatever the node class says',
  (family, expected) => {
    expect(text(family, { maxPods: 58 })).toMatch(expected);
    expect(text(family, { maxPods: 58, kubelet: { maxPods: 110 } })).toMatch(expected);
  },
);

test('what EC2 would not take is refused with its size', () => {
  expect(text('Custom', { own: 'x'.repeat(16_384) })).toHaveLength(16_384);
  expect(text('Custom', { own: 'ä'.repeat(8193) })).toBe(
    'problem: userData: 16386 bytes with what nodes need to join; EC2 takes at most 16384',
  );
});

test.each([
  ['10.100.0.0/16', '10.100.0.10'],
  ['172.20.0.0/16', '172.20.0.10'],
  ['fd12:3456::/108', 'fd12:3456::a'],
  ['', undefined],
])('in %s the DNS of the cluster is %s', (serviceCIDR, expected) => {
  expect(clusterDNS({ serviceCIDR })).toBe(expected);
});

test('labels that a kubelet may not give itself are left to registration', () => {
  const labels = new Map(
    [
      'example.com/team',
      'plain',
      'node.kubernetes.io/mine',
      'sub.kubelet.kubernetes.io/mine',
      'topology.kubernetes.io/zone',
      'karpenter.k8s.aws/x',
      'kubernetes.io/mine',
      'node-restriction.kubernetes.io/mine',
      'x.k8s.io/mine',
    ].map((key) => [key, 'v']),
  );
  const line = text('AL2023', { labels, taints: [] })
    .split('\n')
    .find((each) => each.includes('--node-labels'));
  expect(line?.trim()).toBe(
    '- --node-labels=example.com/team=v,karpenter.k8s.aws/x=v,node.kubernetes.io/mine=v,plain=v,sub.kubelet.kubernetes.io/mine=v,topology.kubernetes.io/zone=v',
  );
});
