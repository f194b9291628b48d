/** Faults between pods and the nodes they are put on: labels, taints, room, ports, volumes. */
import { CAPACITY_TYPE, NODEPOOL, ZONE } from '../../../../src/domain/values/labels.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../builders/cluster-input.js';
import {
  noneOf,
  nodeNameTerm,
  nodeTerm,
  oneOf,
  requiredTerms,
  taint,
  tolerateKey,
} from '../../builders/constraints.js';
import { daemonSet } from '../../builders/daemon-set.js';
import { instanceType, ZONE_A, ZONE_B } from '../../builders/instance-type.js';
import { node } from '../../builders/node.js';
import { poolOffer } from '../../builders/node-pool.js';
import { type HandMadePlan } from '../../builders/plan.js';
import { pod, replicas } from '../../builders/pod.js';
import { persistentVolume, storageClass, volumeClaim } from '../../builders/volume.js';
import { inputs, plans, TWO, onNode, ONE_POD, type Case } from './planted-fault.js';

export function nodeRules(): readonly Case[] {
  const arm = nodeTerm(oneOf('kubernetes.io/arch', 'arm64'));
  const notArm = nodeTerm(noneOf('kubernetes.io/arch', 'arm64'));
  const inA = clusterInput({ pods: [pod({ nodeSelector: { [ZONE]: ZONE_A } })] });
  const spotInAOrB = clusterInput({
    pods: [
      pod({
        nodeAffinity: requiredTerms(
          nodeTerm(oneOf(ZONE, ZONE_A), oneOf(CAPACITY_TYPE, 'spot')),
          nodeTerm(oneOf(ZONE, ZONE_B)),
        ),
      }),
    ],
  });
  const both = ['spot', 'on-demand'] as const;
  const dedicated = [taint('dedicated')];
  const tainted = (overrides = {}): Partial<ClusterInput> => ({
    pods: [pod(overrides)],
    pools: [poolOffer({ taints: dedicated })],
  });
  const cordoned = [node({ unschedulable: true })];
  const featured = { pods: [pod({ requiredFeatures: ['InPlaceResize'] })] };
  const claims: readonly Case[] = [
    {
      kind: 'node-affinity',
      fault: 'a listed zone that nodeSelector leaves out',
      ...plans(inA, { claims: [{ zones: [ZONE_A, ZONE_B] }] }),
    },
    {
      kind: 'node-affinity',
      fault: 'terms that allow each zone and capacity type, but not each pair',
      ...plans(
        spotInAOrB,
        { claims: [{ zones: [ZONE_A, ZONE_B], capacityTypes: both }] },
        { claims: [{ zones: [ZONE_B], capacityTypes: both }] },
      ),
    },
    {
      kind: 'node-affinity',
      fault: 'a type of the wrong arch',
      ...inputs(
        { pods: [pod({ nodeAffinity: requiredTerms(arm) })] },
        { pods: [pod({ nodeAffinity: requiredTerms(arm, notArm) })] },
      ),
    },
    {
      kind: 'node-affinity',
      fault: 'an empty list of terms',
      ...inputs({ pods: [pod({ nodeAffinity: requiredTerms() })] }, {}),
    },
    {
      kind: 'node-affinity',
      fault: 'a term that names a node',
      ...inputs({ pods: [pod({ nodeAffinity: requiredTerms(nodeNameTerm('node')) })] }, {}),
    },
    {
      kind: 'node-affinity',
      fault: 'a label that the template does not give',
      ...inputs(
        { pods: [pod({ nodeSelector: { team: 'blue' } })] },
        { pods: [pod({ nodeSelector: { team: 'blue' } })], pools: [poolOffer({ labels: { team: 'blue' } })] },
      ),
    },
    {
      kind: 'taint',
      fault: 'a taint of the pool',
      ...inputs(tainted(), tainted({ tolerations: [tolerateKey('dedicated')] })),
    },
    {
      kind: 'taint',
      fault: 'a taint that is no startup taint',
      ...inputs(tainted(), { pools: [poolOffer({ startupTaints: dedicated })] }),
    },
    {
      kind: 'taint',
      fault: 'NoExecute, not PreferNoSchedule',
      ...inputs(
        { pools: [poolOffer({ taints: [taint('a', 'b', 'NoExecute')] })] },
        { pools: [poolOffer({ taints: [taint('a', 'b', 'PreferNoSchedule')] })] },
      ),
    },
    {
      kind: 'dynamic-resources',
      fault: 'a pod with resource claims',
      ...inputs({ pods: [pod({ resourceClaims: ['gpu'] })] }, {}),
    },
  ];
  const nodes: readonly Case[] = [
    {
      kind: 'node-affinity',
      fault: 'another node than the named one',
      ...inputs(
        { pods: [pod({ nodeAffinity: requiredTerms(nodeNameTerm('other')) })], nodes: [node()] },
        { pods: [pod({ nodeAffinity: requiredTerms(nodeNameTerm('node')) })], nodes: [node()] },
        onNode,
      ),
    },
    {
      kind: 'node-affinity',
      fault: "another pool's node",
      ...inputs(
        { pods: [pod({ nodeSelector: { [NODEPOOL]: 'default' } })], nodes: [node()] },
        { pods: [pod({ nodeSelector: { [NODEPOOL]: 'default' } })], nodes: [node({ nodePool: 'default' })] },
        onNode,
      ),
    },
    {
      kind: 'taint',
      fault: 'a taint of the node',
      ...inputs({ nodes: [node({ taints: dedicated })] }, { nodes: [node()] }, onNode),
    },
    { kind: 'cordon', fault: 'a cordoned node', ...inputs({ nodes: cordoned }, { nodes: [node()] }, onNode) },
    {
      kind: 'features',
      fault: 'a feature that the node does not declare',
      ...inputs(
        { ...featured, nodes: [node()] },
        { ...featured, nodes: [node({ declaredFeatures: ['InPlaceResize'] })] },
        onNode,
      ),
    },
  ];
  return [...claims, ...nodes];
}

export function room(): readonly Case[] {
  const cpu = (amount: string) => ({ requests: { cpu: amount } });
  const agent = [daemonSet(cpu('1'))];
  const armAgent = [daemonSet({ ...cpu('1'), nodeSelector: { 'kubernetes.io/arch': 'arm64' } })];
  const running = pod({ ...cpu('1500m'), name: 'running', nodeName: 'node' });
  const agentPod = pod({
    ...cpu('1'),
    name: 'agent-x',
    nodeName: 'node',
    namespace: 'kube-system',
    owner: { kind: 'DaemonSet', name: 'agent' },
  });
  const port = { hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }] };
  const otherPort = { hostPorts: [{ hostIP: '0.0.0.0', protocol: 'UDP', port: 80 }] };
  const tiny = [poolOffer({}, [instanceType({ name: 'm6i.large', maxPods: 1 })])];
  const roomy = [poolOffer({}, [instanceType({ name: 'm6i.large', maxPods: 2 })])];
  const gpu = { requests: { 'nvidia.com/gpu': '1' } };
  const pairs = (...[overrides]: Parameters<typeof replicas> extends [number, (infer O)?] ? [O] : never) => ({
    pods: replicas(2, { name: 'web', ...overrides }),
  });
  const together: HandMadePlan = { claims: [{ pods: TWO }] };
  const list: readonly Case[] = [
    {
      kind: 'resources',
      fault: 'pods that are too much together',
      ...inputs(pairs(cpu('1')), pairs(cpu('960m')), together),
    },
    {
      kind: 'resources',
      fault: 'a listed type that is too small',
      ...plans(
        clusterInput({ pods: [pod(cpu('3'))] }),
        { claims: [{ types: ['m6i.large', 'm6i.xlarge'] }] },
        { claims: [{ types: ['m6i.xlarge'] }] },
      ),
    },
    {
      kind: 'resources',
      fault: 'no room for the DaemonSet',
      ...inputs(
        { pods: [pod(cpu('1'))], daemonSets: agent },
        { pods: [pod(cpu('920m'))], daemonSets: agent },
      ),
    },
    {
      kind: 'resources',
      fault: 'more pods than the type holds',
      ...inputs({ ...pairs({}), pools: tiny }, { ...pairs({}), pools: roomy }, together),
    },
    {
      kind: 'resources',
      fault: 'an extended resource that the type lacks',
      ...plans(clusterInput({ pods: [pod(gpu)] }), ONE_POD, { claims: [{ types: ['g5.xlarge'] }] }),
    },
    {
      kind: 'resources',
      fault: 'a node that bound pods fill',
      ...inputs(
        { pods: [pod(cpu('500m')), running], nodes: [node()] },
        { pods: [pod(cpu('420m')), running], nodes: [node()] },
        onNode,
      ),
    },
    {
      kind: 'resources',
      fault: 'a node whose DaemonSet pod is to come',
      ...inputs(
        { pods: [pod(cpu('1'))], nodes: [node()], daemonSets: agent },
        { pods: [pod(cpu('1'))], nodes: [node()], daemonSets: armAgent },
        onNode,
      ),
    },
    {
      kind: 'resources',
      fault: 'a node whose DaemonSet pod is there',
      ...inputs(
        { pods: [pod(cpu('1')), agentPod], nodes: [node()], daemonSets: agent },
        { pods: [pod(cpu('900m')), agentPod], nodes: [node()], daemonSets: agent },
        onNode,
      ),
    },
    {
      kind: 'host-port',
      fault: 'two pods with one port',
      ...inputs(
        pairs(port),
        { pods: [pod({ ...port, name: 'web-0' }), pod({ ...otherPort, name: 'web-1' })] },
        together,
      ),
    },
    {
      kind: 'host-port',
      fault: 'a port that the DaemonSet has',
      ...inputs(
        { pods: [pod(port)], daemonSets: [daemonSet(port)] },
        { pods: [pod(port)], daemonSets: [daemonSet(otherPort)] },
      ),
    },
    {
      kind: 'host-port',
      fault: 'a port that a bound pod has',
      ...inputs(
        { pods: [pod(port), pod({ ...port, name: 'old', nodeName: 'node' })], nodes: [node()] },
        { pods: [pod(port), pod({ ...otherPort, name: 'old', nodeName: 'node' })], nodes: [node()] },
        onNode,
      ),
    },
  ];
  const finished: Case = {
    kind: 'resources',
    fault: 'a running pod, not a finished one',
    ...inputs(
      { pods: [pod(cpu('1')), running], nodes: [node()] },
      { pods: [pod(cpu('1')), { ...running, phase: 'Succeeded' }], nodes: [node()] },
      onNode,
    ),
  };
  return [...list, finished];
}

export function volumes(): readonly Case[] {
  const bound = { persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })] };
  const storageClasses = [storageClass()];
  const using = { pods: [pod({ volumes: ['data'] })] };
  const inZone = (zone: string) => ({ ...using, ...bound, persistentVolumes: [persistentVolume({ zone })] });
  const unbound = { ...using, persistentVolumeClaims: [volumeClaim()] };
  const once = { persistentVolumeClaims: [volumeClaim({ readWriteOncePod: true })], storageClasses };
  const many = { persistentVolumeClaims: [volumeClaim()], storageClasses };
  const shared = { pods: replicas(2, { name: 'web', volumes: ['data'] }) };
  const ephemeral = (ephemeralClass: string) => ({
    pods: [pod({ volumes: [{ claim: 'default/scratch', ephemeralClass }] })],
    storageClasses,
  });
  const restricted = (zone: string) => ({
    ...unbound,
    storageClasses: [storageClass({ allowedTopologies: [nodeTerm(oneOf(ZONE, zone))] })],
  });
  const attachable = (limit: number): Partial<ClusterInput> => ({
    pods: [pod({ volumes: ['data'] }), pod({ name: 'old', nodeName: 'node', volumes: ['old'] })],
    nodes: [node({ volumeLimits: { 'ebs.csi.aws.com': limit } })],
    persistentVolumeClaims: [volumeClaim(), volumeClaim({ name: 'default/old' })],
    storageClasses,
  });
  const together: HandMadePlan = { claims: [{ pods: TWO }] };
  return [
    { kind: 'volume', fault: 'a volume in another zone', ...inputs(inZone(ZONE_B), inZone(ZONE_A)) },
    { kind: 'volume', fault: 'a claim that does not exist', ...inputs(using, {}) },
    {
      kind: 'volume',
      fault: 'a volume that does not exist',
      ...inputs({ ...using, ...bound }, inZone(ZONE_A)),
    },
    {
      kind: 'volume',
      fault: 'a claim whose class binds at once',
      ...inputs(
        { ...unbound, storageClasses: [storageClass({ bindingMode: 'Immediate' })] },
        { ...unbound, storageClasses },
      ),
    },
    {
      kind: 'volume',
      fault: 'a class that makes volumes elsewhere',
      ...inputs(restricted(ZONE_B), restricted(ZONE_A)),
    },
    {
      kind: 'volume',
      fault: 'an ephemeral volume of no class',
      ...inputs(ephemeral('io9'), ephemeral('gp3')),
    },
    {
      kind: 'volume',
      fault: 'a ReadWriteOncePod claim used twice',
      ...inputs({ ...shared, ...once }, { ...shared, ...many }, together),
    },
    {
      kind: 'volume',
      fault: 'more volumes than the node attaches',
      ...inputs(attachable(1), attachable(2), onNode),
    },
  ];
}
