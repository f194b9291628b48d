/** Which existing nodes a pending pod fits on, and which of kube-scheduler's plugins refuses the others. */
import fc from 'fast-check';
import type { PodAffinity, PodAffinityTerm } from '../../../src/domain/pods/affinity.js';
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { Feasibility, type NodeVerdict } from '../../support/feasibility.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import {
  nodeNameTerm,
  nodeTerm,
  noneOf,
  oneOf,
  podTerm,
  requiredTerms,
  spreadOver,
  taint,
  tolerateKey,
} from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { node, type NodeOverrides } from '../../support/builders/node.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { EBS_DRIVER, persistentVolume, storageClass, volumeClaim } from '../../support/builders/volume.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { planOf, RUNS } from '../laws/plan-of.js';

const web = { app: 'web' };
const port80 = [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }];

/** Node → the refusal of `default/pod`, or undefined where it fits. */
function verdictsIn(input: Partial<ClusterInput>): Readonly<Record<string, NodeVerdict>> {
  const snapshot = buildSnapshot(clusterInput(input));
  const verdicts = new Feasibility(snapshot).verdicts(snapshot.pods.keys.indexOf('default/pod'));
  return Object.fromEntries(snapshot.nodes.map(({ name }, index) => [name, verdicts[index]]));
}

/** The verdict on the only node. */
function verdictOf(
  asked: PodOverrides,
  there: NodeOverrides = {},
  more: Partial<ClusterInput> = {},
): NodeVerdict {
  const { pods = [], ...rest } = more;
  return verdictsIn({ nodes: [node(there)], pods: [pod(asked), ...pods], ...rest })['node'];
}

function running(overrides: PodOverrides = {}): PodOverrides {
  return { name: 'running', nodeName: 'node', ...overrides };
}

function needing(term: PodAffinityTerm): PodAffinity {
  return { required: [term], preferred: [] };
}

const bound = {
  persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
  persistentVolumes: [persistentVolume()],
};
const zoneOfB = [nodeTerm(oneOf(ZONE, ZONE_B))];

describe('Feasibility', () => {
  test('lets a pod onto a node that has all it asks for', () => {
    expect(verdictOf({})).toBeUndefined();
  });

  test.each<[plugin: string, about: readonly string[], verdict: NodeVerdict]>([
    ['NodeUnschedulable', ['cordon'], verdictOf({}, { unschedulable: true })],
    ['TaintToleration', ['a=b:NoExecute'], verdictOf({}, { taints: [taint('a', 'b', 'NoExecute')] })],
    ['NodeAffinity', ['disk'], verdictOf({ nodeSelector: { disk: 'ssd' } })],
    [
      'NodePorts',
      ['0.0.0.0:80/TCP'],
      verdictOf({ hostPorts: port80 }, {}, { pods: [pod(running({ hostPorts: port80 }))] }),
    ],
    ['NodeResourcesFit', ['cpu', 'memory'], verdictOf({ requests: { cpu: '90', memory: '900Gi' } })],
    ['NodeResourcesFit', ['pods'], verdictOf({}, { allocatable: { pods: '1' } }, { pods: [pod(running())] })],
    [
      'VolumeRestrictions',
      ['default/data'],
      verdictOf(
        { volumes: ['data'] },
        {},
        {
          ...bound,
          persistentVolumeClaims: [volumeClaim({ volumeName: 'pv', readWriteOncePod: true })],
          pods: [pod(running({ volumes: ['data'] }))],
        },
      ),
    ],
    ['VolumeRestrictions', ['default/data'], verdictOf({ volumes: ['data'] })],
    [
      'NodeVolumeLimits',
      ['default/data'],
      verdictOf({ volumes: ['data'] }, { volumeLimits: { [EBS_DRIVER]: 0 } }, bound),
    ],
    [
      'VolumeBinding',
      ['default/data'],
      verdictOf(
        { volumes: ['data'] },
        {},
        { ...bound, persistentVolumes: [persistentVolume({ zone: ZONE_B })] },
      ),
    ],
    [
      'VolumeBinding',
      ['default/data'],
      verdictOf(
        { volumes: ['data'] },
        {},
        {
          persistentVolumeClaims: [volumeClaim()],
          storageClasses: [storageClass({ bindingMode: 'Immediate' })],
        },
      ),
    ],
    [
      'VolumeZone',
      ['default/data'],
      verdictOf(
        { volumes: ['data'] },
        {},
        { ...bound, persistentVolumes: [persistentVolume({ zones: zoneOfB })] },
      ),
    ],
    [
      'VolumeZone',
      ['default/data'],
      verdictOf({ volumes: ['data'] }, {}, { ...bound, persistentVolumes: [] }),
    ],
    ['PodTopologySpread', ['rack'], verdictOf({ spread: [spreadOver('rack', web)] })],
    ['InterPodAffinity', [ZONE], verdictOf({ podAffinity: needing(podTerm(ZONE, web)) })],
    [
      'InterPodAffinity',
      [HOSTNAME],
      verdictOf(
        { labels: web },
        {},
        { pods: [pod(running({ podAntiAffinity: needing(podTerm(HOSTNAME, web)) }))] },
      ),
    ],
    [
      'NodeDeclaredFeatures',
      ['Swap'],
      verdictOf({ requiredFeatures: ['Swap'] }, { declaredFeatures: ['Other'] }),
    ],
    ['DynamicResources', [], verdictOf({ resourceClaims: ['gpu'] })],
  ])('names %s and what it is about: %j', (plugin, about, verdict) => {
    expect(verdict).toEqual({ plugin, about });
  });

  test('names the plugin that kube-scheduler asks first, whatever else refuses', () => {
    const asked = { requests: { cpu: '90' }, nodeSelector: { disk: 'ssd' }, hostPorts: port80 };
    expect(verdictOf(asked)?.plugin).toBe('NodeAffinity');
    expect(verdictOf(asked, { taints: [taint('a')] })?.plugin).toBe('TaintToleration');
    expect(
      verdictOf({ ...asked, tolerations: [tolerateKey()] }, { taints: [taint('a')], unschedulable: true })
        ?.plugin,
    ).toBe('NodeAffinity');
  });

  test('refuses by name, before anything else, nodes that a pod for certain nodes does not name', () => {
    const asked = { nodeAffinity: requiredTerms(nodeNameTerm('other')) };
    expect(verdictOf(asked, { unschedulable: true })).toEqual({
      plugin: 'NodeAffinity',
      about: ['metadata.name'],
    });
    const either = { nodeAffinity: requiredTerms(nodeNameTerm('other'), nodeTerm(oneOf(ZONE, ZONE_B))) };
    expect(verdictOf(either, { unschedulable: true })?.plugin).toBe('NodeUnschedulable');
  });

  test('keeps no room for DaemonSet pods that are still to come, as kube-scheduler keeps none', () => {
    const daemonSets = [daemonSet({ requests: { cpu: '1900m' } })];
    expect(verdictOf({ requests: { cpu: '1' } }, {}, { daemonSets })).toBeUndefined();
  });

  test('judges each pending pod as if it were the only one', () => {
    const all = { requests: { cpu: '1500m' } };
    expect(verdictOf(all, {}, { pods: [pod({ ...all, name: 'rival' })] })).toBeUndefined();
  });

  test('knows no verdict on a pod that is bound', () => {
    const snapshot = buildSnapshot(clusterInput({ nodes: [node()], pods: [pod(running())] }));
    expect(() => new Feasibility(snapshot).verdicts(0)).toThrow('pod 0 of the snapshot is not pending');
  });

  test('agrees with the plan for a pod alone: it goes to a node that it fits on, and is left out when there is none', () => {
    fc.assert(
      fc.property(arbitraryCluster(), ({ pods, ...rest }) => {
        const [first] = pods.filter(({ nodeName }) => nodeName === undefined);
        fc.pre(first !== undefined);
        const others = pods.filter(({ nodeName }) => nodeName !== undefined);
        const input = { ...rest, pods: [first, ...others], pools: [], daemonSets: [] };
        const snapshot = buildSnapshot(input);
        const row = snapshot.pods.node.indexOf(-1);
        const verdicts = new Feasibility(snapshot).verdicts(row);
        const fitting = snapshot.nodes.filter((_, index) => verdicts[index] === undefined);
        const place = planOf(input).placements[0]?.target.name;
        expect(place === undefined ? fitting.length === 0 : fitting.some(({ name }) => name === place)).toBe(
          true,
        );
      }),
      RUNS,
    );
  });
});

/** Where planning and kube-scheduler differed when they were first compared on a real control plane. */
describe('Feasibility, as kube-scheduler has it', () => {
  test('has no host for a node without a hostname, and one for two nodes of the same', () => {
    const nodes = [
      node({ name: 'one' }),
      node({ name: 'twin', labels: { [HOSTNAME]: 'one' } }),
      { ...node({ name: 'nameless' }), labels: new Map([[ZONE, ZONE_A]]) },
    ];
    const matching = pod(running({ nodeName: 'one', labels: web }));
    const apart = verdictsIn({
      nodes,
      pods: [pod({ podAntiAffinity: needing(podTerm(HOSTNAME, web)) }), matching],
    });
    const spread = verdictsIn({
      nodes,
      pods: [pod({ labels: web, spread: [spreadOver(HOSTNAME, web)] }), matching],
    });
    expect(Object.values(apart).map((verdict) => verdict?.plugin)).toEqual([
      undefined,
      'InterPodAffinity',
      'InterPodAffinity',
    ]);
    expect(spread['nameless']?.plugin).toBe('PodTopologySpread');
    expect([spread['one'], spread['twin']]).toEqual([undefined, undefined]);
  });

  test('lets a volume with a zone label onto a node that says neither zone nor region', () => {
    const nowhere = nodeTerm(requirement(ZONE, 'DoesNotExist'));
    const persistentVolumes = [persistentVolume({ zones: [...zoneOfB, nowhere] })];
    const nodes = [{ ...node({ name: 'bare' }), labels: new Map() }, node({ name: 'elsewhere' })];
    const verdicts = verdictsIn({ ...bound, nodes, persistentVolumes, pods: [pod({ volumes: ['data'] })] });
    expect([verdicts['bare'], verdicts['elsewhere']?.plugin]).toEqual([undefined, 'VolumeZone']);
  });

  test('counts the volume of a running pod whose claim is being deleted', () => {
    const more = {
      persistentVolumeClaims: [
        volumeClaim({ volumeName: 'pv', hold: 'Terminating' }),
        volumeClaim({ name: 'default/other', volumeName: 'pv' }),
      ],
      persistentVolumes: [persistentVolume()],
      pods: [pod(running({ volumes: ['data'] }))],
    };
    const there = { volumeLimits: { [EBS_DRIVER]: 1 } };
    expect(verdictOf({ volumes: ['other'] }, there, more)?.plugin).toBe('NodeVolumeLimits');
    expect(verdictOf({ volumes: ['data'] }, there, more)?.plugin).toBe('VolumeBinding');
  });

  test('counts, for nodeTaintsPolicy Honor, pods on cordoned nodes that have no taint of it', () => {
    const nodes = [node(), node({ name: 'other', zone: ZONE_B, unschedulable: true })];
    const constraint = spreadOver(ZONE, web, { nodeTaintsPolicy: 'Honor' });
    const pods = [pod({ labels: web, spread: [constraint] }), pod(running({ labels: web }))];
    // Zone b has none of them, so zone a has one too many.
    expect(verdictsIn({ nodes, pods })['node']?.plugin).toBe('PodTopologySpread');
  });

  test('asks a namespaceSelector that unlabelled namespaces satisfy of every namespace, for the pod that has it', () => {
    const selector = { requirements: new Map([['env', noneOf('env', 'prod')]]) };
    const namespaces = new Map([['shop', new Map([['env', 'prod']])]]);
    const term = podTerm(HOSTNAME, web, selector);
    const matching = pod(running({ namespace: 'shop', labels: web }));
    expect(verdictOf({ podAntiAffinity: needing(term) }, {}, { namespaces, pods: [matching] })?.plugin).toBe(
      'InterPodAffinity',
    );
    const repelling = pod(running({ podAntiAffinity: needing(term) }));
    const inShop = verdictsIn({
      namespaces,
      nodes: [node()],
      pods: [pod({ name: 'x', namespace: 'shop', labels: web }), repelling, pod()],
    });
    expect(inShop['node']).toBeUndefined();
  });

  const BY_HAND = storageClass({ name: 'by-hand', provisioner: 'kubernetes.io/no-provisioner' });
  const request = {
    bytes: 10,
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    attributesClass: '',
    selector: undefined,
  };
  const free = {
    storageClassName: 'by-hand',
    bytes: 10,
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    attributesClass: '',
    labels: new Map<string, string>(),
    reservedFor: undefined,
  };

  test.each([
    ['there', {}, true],
    ['too small', { bytes: 9 }, false],
    ['of another class', { storageClassName: 'other' }, false],
    ['of another mode', { volumeMode: 'Block' }, false],
    ['of other access modes', { accessModes: ['ReadWriteMany'] }, false],
    ['of other attributes', { attributesClass: 'gold' }, false],
    ['kept for another claim', { reservedFor: 'default/other' }, false],
    ['kept for the claim, whatever its access modes', { reservedFor: 'default/data', accessModes: [] }, true],
  ])('waits for a volume made by hand that is %s: fits %#', (_, overrides, fits) => {
    const volume = persistentVolume({
      nodeAffinity: [nodeTerm(oneOf(ZONE, ZONE_A))],
      free: { ...free, ...overrides },
    });
    const verdicts = verdictsIn({
      nodes: [node({ name: 'a' }), node({ name: 'b', zone: ZONE_B })],
      pods: [pod({ volumes: ['data'] })],
      persistentVolumeClaims: [volumeClaim({ storageClassName: 'by-hand', request })],
      persistentVolumes: [volume],
      storageClasses: [BY_HAND],
    });
    expect(verdicts['a'] === undefined).toBe(fits);
    expect(verdicts['b']?.plugin).toBe('VolumeBinding');
  });
});
