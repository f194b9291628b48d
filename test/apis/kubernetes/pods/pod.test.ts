import type { Pod } from '../../../../src/domain/pods/pod.js';
import { podContext } from '../../../../src/apis/kubernetes/pods/pod-context.js';
import { decodePod } from '../../../../src/apis/kubernetes/pods/pod.js';
import { prioritiesOf } from '../../../../src/apis/kubernetes/pods/priority-class.js';
import {
  container,
  CONTAINER,
  ownedBy,
  podManifest,
  requirementTexts,
  type Manifest,
  type PodParts,
} from '../manifests.js';

/** The pod, which must have nothing wrong with it. */
function accepted(parts: PodParts): Pod {
  const { value, findings } = decodePod(podManifest(parts));
  expect(findings).toEqual([]);
  if (value === undefined) throw new Error('no pod');
  return value;
}

/** `path text` of everything found in a pod with this spec. */
function refusals(spec: Manifest): readonly string[] {
  return decodePod(podManifest({ spec })).findings.map((item) => `${item.path.join('.')} ${item.text}`);
}

describe('decodePod', () => {
  test('reads the plainest pod with the defaults of the API server', () => {
    expect(accepted({})).toEqual({
      namespace: 'default',
      name: 'web',
      uid: 'Pod/default/web',
      owner: undefined,
      nodeName: undefined,
      phase: 'Pending',
      schedulingGated: false,
      awaitsPlace: false,
      pinnedTo: undefined,
      mirror: false,
      terminating: false,
      annotations: new Map(),
      spec: {
        namespace: 'default',
        labels: new Map(),
        requests: new Map([['pods', 1]]),
        nodeSelector: new Map(),
        nodeAffinity: { required: undefined, preferred: [] },
        podAffinity: { required: [], preferred: [] },
        podAntiAffinity: { required: [], preferred: [] },
        tolerations: [],
        spread: [],
        hostPorts: [],
        volumes: [],
        priority: 0,
        schedulerName: 'default-scheduler',
        requiredFeatures: [],
        resourceClaims: [],
      },
    });
  });

  test.each([
    [[], false, false],
    [['berth.sh/planned'], false, true],
    [['example.com/quota'], true, false],
    [['berth.sh/planned', 'example.com/quota'], true, false],
  ])('waits for Berth only where its gate is the only one: %j', (names, schedulingGated, awaitsPlace) => {
    const pod = accepted({ spec: { schedulingGates: names.map((name) => ({ name })) } });
    expect(pod).toMatchObject({ schedulingGated, awaitsPlace });
  });

  test('that Berth let go to one node has the spec that its replacement will have', () => {
    const context = podContext();
    const read = (pin: string | undefined, nodeSelector: object) =>
      decodePod(
        {
          metadata: {
            name: 'web',
            namespace: 'shop',
            ...(pin !== undefined && { annotations: { 'berth.sh/pinned-to': pin } }),
          },
          spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }], nodeSelector },
        },
        context,
      ).value;
    const plain = read(undefined, { disk: 'ssd' });
    const pinned = read('n1', { disk: 'ssd', 'kubernetes.io/hostname': 'n1' });
    expect(pinned?.pinnedTo).toBe('n1');
    expect(pinned?.spec).toBe(plain?.spec);
    // The annotation alone, or another host, is somebody else's.
    const own = read('n1', { 'kubernetes.io/hostname': 'n2' });
    expect(own?.pinnedTo).toBeUndefined();
    expect(own?.spec.nodeSelector.get('kubernetes.io/hostname')).toBe('n2');
    expect(read('n1', { 'kubernetes.io/hostname': 'n1' })?.spec.nodeSelector.size).toBe(0);
  });

  test('reads what becomes of a pod', () => {
    const pod = accepted({
      namespace: 'shop',
      metadata: {
        uid: 'u1',
        deletionTimestamp: '2026-01-01T00:00:00Z',
        annotations: { 'kubernetes.io/config.mirror': 'x' },
        ...ownedBy('ReplicaSet', 'web-1'),
      },
      spec: {
        nodeName: 'n1',
        schedulingGates: [{ name: 'g' }],
        schedulerName: 'mine',
        resourceClaims: [{ name: 'gpu' }],
      },
      status: { phase: 'Failed' },
    });
    expect(pod).toMatchObject({
      namespace: 'shop',
      uid: 'u1',
      owner: { kind: 'ReplicaSet', name: 'web-1' },
      nodeName: 'n1',
      phase: 'Failed',
      schedulingGated: true,
      mirror: true,
      terminating: true,
      spec: { namespace: 'shop', schedulerName: 'mine', resourceClaims: [{ name: 'gpu' }] },
    });
  });

  test('takes a bound pod without status as running', () => {
    expect(accepted({ spec: { nodeName: 'n1' } }).phase).toBe('Running');
  });

  test('takes the controller among several owners, and a workload where none is marked', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j' };
    const custom = { apiVersion: 'x/v1', kind: 'Rollout', name: 'r', uid: 'r', controller: true };
    const ownerOf = (...ownerReferences: Manifest[]): unknown =>
      accepted({ metadata: { ownerReferences } }).owner;
    expect(ownerOf(other, job, custom)).toEqual({ kind: 'Rollout', name: 'r' });
    expect(ownerOf(other, job)).toEqual({ kind: 'Job', name: 'j' });
    expect(ownerOf(other)).toBeUndefined();
  });

  test('reads null as missing', () => {
    const spec = {
      nodeName: null,
      affinity: null,
      tolerations: null,
      containers: [{ ...CONTAINER, resources: null }],
    };
    expect(accepted({ metadata: { labels: null }, spec }).nodeName).toBeUndefined();
  });

  test('reads old label keys in node selectors by their current names', () => {
    const nodeSelector = {
      'beta.kubernetes.io/arch': 'arm64',
      'failure-domain.beta.kubernetes.io/zone': 'a',
      pool: 'x',
    };
    expect(accepted({ spec: { nodeSelector } }).spec.nodeSelector).toEqual(
      new Map([
        ['kubernetes.io/arch', 'arm64'],
        ['topology.kubernetes.io/zone', 'a'],
        ['pool', 'x'],
      ]),
    );
  });

  test('keeps an old key beside a current one that contradicts it, so that no new node satisfies both', () => {
    const nodeSelector = { 'beta.kubernetes.io/arch': 'arm64', 'kubernetes.io/arch': 'amd64' };
    expect(accepted({ spec: { nodeSelector } }).spec.nodeSelector).toEqual(
      new Map(Object.entries(nodeSelector)),
    );
  });

  test.each([
    [{ priority: 7, priorityClassName: 'high' }, 7],
    [{ priorityClassName: 'high' }, 1000],
    [{ priorityClassName: 'system-node-critical' }, 2_000_001_000],
    [{ priorityClassName: 'system-cluster-critical' }, 2_000_000_000],
    [{}, 10],
  ])('finds the priority of %j', (spec, priority) => {
    const priorities = prioritiesOf([
      { name: 'high', value: 1000, globalDefault: false },
      { name: 'usual', value: 10, globalDefault: true },
    ]);
    const { value, findings } = decodePod(podManifest({ spec }), podContext({ priorities }));
    expect(value?.spec.priority).toBe(priority);
    expect(findings).toEqual([]);
  });

  test('warns of a PriorityClass that is not there and takes 0', () => {
    const { value, findings } = decodePod(podManifest({ spec: { priorityClassName: 'hgh' } }));
    expect(value?.spec.priority).toBe(0);
    expect(findings).toMatchObject([
      { severity: 'warning', code: 'unknown-reference', path: ['spec', 'priorityClassName'] },
    ]);
  });

  test('infers the node features that kube-scheduler infers', () => {
    const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const containers = [{ ...CONTAINER, restartPolicy: 'Never', restartPolicyRules: rules }];
    const spec = { containers, hostNetwork: true, hostUsers: false };
    expect(accepted({ spec }).spec.requiredFeatures).toEqual([
      'RestartAllContainersOnContainerExits',
      'UserNamespacesHostNetworkSupport',
    ]);
    const restart = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
    const plain = { containers: [{ ...CONTAINER, restartPolicyRules: restart }], hostUsers: false };
    expect(accepted({ spec: plain }).spec.requiredFeatures).toEqual([]);
  });

  test('infers features from init containers', () => {
    const initContainers = [{ ...CONTAINER, restartPolicyRules: [{ action: 'RestartAllContainers' }] }];
    expect(accepted({ spec: { initContainers } }).spec.requiredFeatures).toEqual([
      'RestartAllContainersOnContainerExits',
    ]);
  });

  test('names everything that is wrong at once, and where', () => {
    const spec = {
      containers: [container({ cpu: 'much' })],
      nodeSelector: { 'not a key': 'x', ok: 'not a value!' },
      nodeName: 5,
      schedulerName: ['x'],
      topologySpreadConstraints: {},
    };
    expect(refusals(spec)).toEqual([
      'spec.nodeName must be text, not 5: write it in quotes, "5"',
      'spec.schedulerName must be text, not a list',
      'spec.containers.0.resources.requests.cpu must be a quantity such as 500m, 2 or 10Gi, not "much"',
      expect.stringContaining('spec.nodeSelector.not a key is not a label'),
      expect.stringContaining('spec.nodeSelector.ok must be empty or at most 63'),
      'spec.topologySpreadConstraints must be a list, not an object',
    ]);
  });

  test.each([
    [undefined, [[]]],
    ['pod', [[]]],
    [{}, [['metadata', 'name']]],
    [{ metadata: { name: '' }, spec: { containers: [CONTAINER] } }, [['metadata', 'name']]],
    [{ metadata: 'x' }, [['metadata'], ['metadata', 'name']]],
  ])('gives no pod for %j', (object, paths) => {
    const { value, findings } = decodePod(object);
    expect(value).toBeUndefined();
    expect(findings.map((item) => item.path)).toEqual(paths);
  });

  test('gives a pod beside errors, so that a running one keeps its room', () => {
    const spec = {
      nodeName: 'n1',
      containers: [container({ cpu: '1' }), container({ cpu: 'x' })],
      affinity: 'none',
    };
    const { value, findings } = decodePod(podManifest({ spec }));
    expect(value).toMatchObject({ nodeName: 'n1' });
    expect(value?.spec.requests.get('cpu')).toBe(1000);
    expect(findings).toHaveLength(2);
  });

  test.each([
    ['without spec', { spec: undefined }],
    ['without containers', { spec: {} }],
    ['with an empty list of containers', { spec: { containers: [] } }],
  ])('refuses a pod %s', (_, rest) => {
    const { findings } = decodePod({ metadata: { name: 'web' }, ...rest });
    expect(findings.map((item) => item.text)).toContain('is required');
  });
});

describe('shared specs', () => {
  const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
  const SPREAD = { maxSkew: 1, topologyKey: 'x', whenUnsatisfiable: 'DoNotSchedule' };

  test('are one object for pods of one template, whatever else differs', () => {
    const context = podContext();
    const specOf = (name: string, nodeName: string): unknown => {
      const volumes = [
        { name: `kube-api-access-${name}`, projected: {} },
        { name: 'd', persistentVolumeClaim: { claimName: 'd' } },
      ];
      const containers = [{ ...container({ cpu: '1' }), env: [{ name: 'POD', value: name }] }];
      return decodePod(podManifest({ name, spec: { nodeName, containers, volumes } }), context).value?.spec;
    };
    expect(specOf('a', 'n1')).toBe(specOf('b', 'n2'));
  });

  test.each<[string, PodParts]>([
    ['labels', { metadata: { labels: { app: 'b' } } }],
    ['namespace', { namespace: 'other' }],
    ['requests', { spec: { containers: [container({ cpu: '2' })] } }],
    ['overhead', { spec: { overhead: { cpu: '1' } } }],
    ['pod-level resources', { spec: { resources: { requests: { cpu: '1' } } } }],
    ['init containers', { spec: { initContainers: [container({ cpu: '3' })] } }],
    ['node selectors', { spec: { nodeSelector: { a: 'b' } } }],
    ['affinities', { spec: { affinity: { podAntiAffinity: { [REQUIRED]: [{ topologyKey: 'x' }] } } } }],
    ['spreads', { spec: { topologySpreadConstraints: [SPREAD] } }],
    ['priorities', { spec: { priority: 5 } }],
    ['priority classes', { spec: { priorityClassName: 'system-node-critical' } }],
    ['schedulers', { spec: { schedulerName: 'volcano' } }],
    ['resource claims', { spec: { resourceClaims: [{ name: 'gpu' }] } }],
    ['ports', { spec: { containers: [{ ...CONTAINER, ports: [{ containerPort: 1, hostPort: 1 }] }] } }],
    ['tolerations', { spec: { tolerations: [{ operator: 'Exists' }] } }],
    ['claims', { spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'd' } }] } }],
    [
      'restart rules',
      { spec: { containers: [{ ...CONTAINER, restartPolicyRules: [{ action: 'RestartAllContainers' }] }] } },
    ],
    ['a resize', { status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } }],
  ])('differ where %s differ', (_, parts) => {
    const context = podContext();
    const plain = decodePod(podManifest(), context).value?.spec;
    const other = decodePod(podManifest(parts), context);
    expect(other.value?.spec).not.toEqual(plain);
    expect(other.findings).toEqual([]);
  });

  test('differ where pods share the host’s network, or only its users', () => {
    const context = podContext();
    const containers = [{ ...CONTAINER, ports: [{ containerPort: 80 }] }];
    const specOf = (spec: Manifest): unknown => {
      const { hostPorts, requiredFeatures } =
        decodePod(podManifest({ spec: { containers, ...spec } }), context).value?.spec ?? {};
      return [hostPorts?.length, requiredFeatures?.length];
    };
    expect(specOf({})).toEqual([0, 0]);
    expect(specOf({ hostNetwork: true })).toEqual([1, 0]);
    expect(specOf({ hostNetwork: true, hostUsers: false })).toEqual([1, 1]);
  });

  test('are not shared with errors: every pod reports its own', () => {
    const context = podContext();
    const broken = podManifest({ spec: { tolerations: [{ key: 'x', effect: 'Never' }] } });
    expect(decodePod(broken, context).findings).toHaveLength(1);
    expect(decodePod(broken, context).findings).toHaveLength(1);
  });

  test('differ by claim for pods with generic ephemeral volumes', () => {
    const context = podContext({ storage: { defaultClass: 'gp3', claims: new Set() } });
    const ephemeral = (spec: Manifest): Manifest => ({ volumeClaimTemplate: { spec } });
    const volumes = [
      { name: 'scratch', ephemeral: ephemeral({ storageClassName: 'io2' }) },
      { name: 'cache', ephemeral: ephemeral({}) },
    ];
    const volumesOf = (name: string): unknown =>
      decodePod(podManifest({ name, spec: { volumes } }), context).value?.spec.volumes;
    expect(volumesOf('a')).toEqual([
      { claim: 'default/a-scratch', ephemeralClass: 'io2' },
      { claim: 'default/a-cache', ephemeralClass: 'gp3' },
    ]);
    expect(volumesOf('b')).not.toEqual(volumesOf('a'));
  });
});

describe('volumes', () => {
  test('are claims by namespaced name; other volumes do not matter', () => {
    const volumes = [
      { name: 'tmp', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-0' } },
    ];
    expect(accepted({ namespace: 'db', spec: { volumes } }).spec.volumes).toEqual([{ claim: 'db/data-0' }]);
  });

  test('use an ephemeral claim that exists as it is', () => {
    const context = podContext({ storage: { defaultClass: 'gp3', claims: new Set(['default/web-cache']) } });
    const volumes = [{ name: 'cache', ephemeral: { volumeClaimTemplate: { spec: {} } } }];
    expect(decodePod(podManifest({ spec: { volumes } }), context).value?.spec.volumes).toEqual([
      { claim: 'default/web-cache' },
    ]);
  });

  test('need the name of their claim', () => {
    expect(refusals({ volumes: [{ name: 'data', persistentVolumeClaim: {} }] })).toEqual([
      'spec.volumes.0.persistentVolumeClaim.claimName is required',
    ]);
  });
});

describe('host ports', () => {
  const ports = [
    { containerPort: 80, hostPort: 8080 },
    { containerPort: 53, hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' },
    { containerPort: 9090 },
  ];

  test('are those that the containers name, any address and TCP by default', () => {
    expect(accepted({ spec: { containers: [{ ...CONTAINER, ports }] } }).spec.hostPorts).toEqual([
      { port: 8080, protocol: 'TCP', hostIP: '0.0.0.0' },
      { port: 53, protocol: 'UDP', hostIP: '10.0.0.1' },
    ]);
  });

  test('are all container ports on the host network', () => {
    const spec = { hostNetwork: true, containers: [{ ...CONTAINER, ports }] };
    expect(accepted({ spec }).spec.hostPorts.map((item) => item.port)).toEqual([8080, 53, 9090]);
  });

  test('count for sidecars but not for init containers that end, and each once', () => {
    const withPort = (hostPort: number, more: Manifest = {}): Manifest => ({
      ...CONTAINER,
      ports: [{ containerPort: 1, hostPort }],
      ...more,
    });
    const initContainers = [withPort(1), withPort(2, { restartPolicy: 'Always' })];
    const spec = { initContainers, containers: [withPort(2), withPort(3)] };
    expect(accepted({ spec }).spec.hostPorts.map((item) => item.port)).toEqual([2, 3]);
  });

  test('must be port numbers', () => {
    const containers = [{ ...CONTAINER, ports: [{ containerPort: 1, hostPort: 70_000 }] }];
    expect(refusals({ containers })).toEqual([
      'spec.containers.0.ports.0.hostPort must be at most 65535, not 70000',
    ]);
  });
});

describe('tolerations', () => {
  test('are Equal unless they say otherwise, and match every effect without one', () => {
    const tolerations = [
      { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
      { operator: 'Exists' },
      { key: 'x', operator: 'Exists', effect: '', tolerationSeconds: 300 },
    ];
    expect(accepted({ spec: { tolerations } }).spec.tolerations).toEqual([
      { key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' },
      { key: '', operator: 'Exists', value: '', effect: undefined },
      { key: 'x', operator: 'Exists', value: '', effect: undefined },
    ]);
  });

  test.each<[string, Manifest, string]>([
    ['no key', { value: 'x' }, 'must have operator Exists when it has no key'],
    [
      'a value that Exists ignores',
      { key: 'x', operator: 'Exists', value: 'y' },
      'must be empty when operator is Exists',
    ],
    ['an unknown operator', { key: 'x', operator: 'exists' }, 'must be one of Exists, Equal, not "exists"'],
    ['a malformed key', { key: 'a b', operator: 'Exists' }, 'must be a label key, not "a b"'],
  ])('are refused with %s', (_, toleration, text) => {
    expect(refusals({ tolerations: [toleration] })).toEqual([expect.stringContaining(text)]);
  });
});

describe('topology spread constraints', () => {
  const constraint = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
  };
  const labels = { app: 'web', 'pod-template-hash': 'abc' };

  function spreadOf(...topologySpreadConstraints: Manifest[]): Pod['spec']['spread'] {
    return accepted({ metadata: { labels }, spec: { topologySpreadConstraints } }).spec.spread;
  }

  test('have the defaults of kube-scheduler', () => {
    const [first] = spreadOf({ ...constraint, labelSelector: { matchLabels: { app: 'web' } } });
    expect(first).toMatchObject({
      ...constraint,
      minDomains: 1,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    });
    expect(requirementTexts(first?.selector?.requirements)).toEqual(['app In [web]']);
  });

  test('read what they are given', () => {
    const given = {
      ...constraint,
      maxSkew: 2,
      minDomains: 3,
      nodeAffinityPolicy: 'Ignore',
      nodeTaintsPolicy: 'Honor',
    };
    expect(spreadOf(given)).toMatchObject([given]);
  });

  test('fold the pod’s own labels under matchLabelKeys into the selector, as far as it has them', () => {
    const [first] = spreadOf({
      ...constraint,
      labelSelector: { matchLabels: { app: 'web' } },
      matchLabelKeys: ['pod-template-hash', 'missing'],
    });
    expect(requirementTexts(first?.selector?.requirements)).toEqual([
      'app In [web]',
      'pod-template-hash In [abc]',
    ]);
  });

  test('count no pods without a selector, nor with an empty one', () => {
    expect(spreadOf(constraint, { ...constraint, labelSelector: {} }).map((item) => item.selector)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('read old topology keys by their current names', () => {
    const topologyKey = 'failure-domain.beta.kubernetes.io/zone';
    expect(spreadOf({ ...constraint, topologyKey })[0]?.topologyKey).toBe('topology.kubernetes.io/zone');
  });

  test.each<[string, Manifest, readonly string[]]>([
    ['nothing said', {}, ['maxSkew is required', 'topologyKey is required', 'whenUnsatisfiable is required']],
    ['maxSkew 0', { ...constraint, maxSkew: 0 }, ['maxSkew must be at least 1, not 0']],
    ['a fraction', { ...constraint, maxSkew: 1.5 }, ['maxSkew must be a whole number, not 1.5']],
    [
      'an unknown action',
      { ...constraint, whenUnsatisfiable: 'DoNotSchedul' },
      ['whenUnsatisfiable must be one of DoNotSchedule, ScheduleAnyway, not "DoNotSchedul"'],
    ],
    [
      'minDomains that cannot bind',
      { ...constraint, whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
      ['minDomains must not be given with whenUnsatisfiable ScheduleAnyway'],
    ],
  ])('are refused with %s', (_, given, texts) => {
    const found = refusals({ topologySpreadConstraints: [given] });
    expect(found).toEqual(texts.map((text) => `spec.topologySpreadConstraints.0.${text}`));
  });

  test('guess what was meant', () => {
    const spec = { topologySpreadConstraints: [{ ...constraint, whenUnsatisfiable: 'doNotSchedule' }] };
    expect(decodePod(podManifest({ spec })).findings).toMatchObject([
      { guess: 'DoNotSchedule', allowed: ['DoNotSchedule', 'ScheduleAnyway'] },
    ]);
  });
});
