/** What pods ask of the node itself: labels, name, taints, ports, features. */
import type { Chance } from '../chance.js';
import { by, type Kind } from './kind.js';
import type { PodDraft } from '../pod-draft.js';
import { nodeName } from '../random-nodes.js';
import {
  ADDRESSES,
  DISK,
  DISKS,
  GENERATION,
  HOSTNAME,
  PORTS,
  PROTOCOLS,
  RACK,
  RACKS,
  REGION,
  ZONE,
  ZONES,
} from '../vocabulary.js';

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

function expression(operator: Operator, chance: Chance): object {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return chance.one([
        { key: DISK, operator, values: chance.some(DISKS, operator === 'In' ? 2 : 1) },
        { key: RACK, operator, values: chance.some(RACKS, operator === 'In' ? 3 : 2) },
        { key: ZONE, operator, values: chance.some(ZONES, operator === 'In' ? 2 : 1) },
      ]);
    case 'Exists':
      return { key: chance.one([DISK, RACK, GENERATION, HOSTNAME]), operator };
    case 'DoesNotExist':
      return { key: chance.one([DISK, DISK, RACK, ZONE]), operator };
    case 'Gt':
      return { key: GENERATION, operator, values: [chance.one(['2', '3', '4', '0'])] };
    case 'Lt':
      return { key: GENERATION, operator, values: [chance.one(['6', '7', '010'])] };
  }
}

function affinityKind(operator: Operator): Kind {
  return {
    name: `node affinity ${operator}`,
    add: (pod, chance) => {
      pod.addExpression({ expression: expression(operator, chance) });
    },
    refuses: by('NodeAffinity'),
  };
}

function addMatchFields(pod: PodDraft, chance: Chance): void {
  const names = [chance.number(0, 24), chance.number(25, 69)].map(nodeName);
  if (chance.often(0.4)) {
    pod.addExpression({ field: { key: 'metadata.name', operator: 'NotIn', values: [names[0]] } });
    return;
  }
  // One of several nodes, as the DaemonSet controller asks for one.
  if (pod.nodeTerms.length === 0) {
    for (const name of [
      ...names,
      nodeName(chance.number(0, 69)),
      nodeName(chance.number(0, 69)),
      'no-such-node',
    ]) {
      const field = { key: 'metadata.name', operator: 'In', values: [name] };
      pod.nodeTerms.push({ matchExpressions: [], matchFields: [field] });
    }
  }
}

function addTerms(pod: PodDraft, chance: Chance): void {
  if (pod.nodeTerms.length === 0) pod.addExpression({ expression: expression('In', chance) });
  const operator = chance.one(['Exists', 'NotIn', 'Gt']);
  pod.nodeTerms.push({ matchExpressions: [expression(operator, chance)], matchFields: [] });
  if (chance.often(0.2)) pod.nodeTerms.push({ matchExpressions: [], matchFields: [] });
}

function addTolerations(pod: PodDraft, chance: Chance): void {
  const all = [
    { key: 'dedicated', operator: 'Exists' },
    { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
    { key: 'dedicated', operator: 'Equal', value: 'batch' },
    { operator: 'Exists', effect: 'NoExecute' },
    { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },
  ];
  pod.tolerations.push(...chance.some(all, chance.number(1, 3)));
}

function addNodeSelector(pod: PodDraft, chance: Chance): void {
  const [key, values] = chance.one([
    [DISK, DISKS],
    [ZONE, ZONES],
    [RACK, RACKS],
    [REGION, ['eu-west-3']],
  ]);
  pod.nodeSelector[key] = chance.one(values);
}

function addHostPort(pod: PodDraft, chance: Chance): void {
  const hostPort = chance.one(PORTS);
  pod.addPort({ containerPort: hostPort, hostPort });
}

function addParticularHostPort(pod: PodDraft, chance: Chance): void {
  const hostPort = chance.one(PORTS);
  const hostIP = chance.one(ADDRESSES);
  pod.addPort({ containerPort: hostPort, hostPort, hostIP, protocol: chance.one(PROTOCOLS) });
}

function addHostNetwork(pod: PodDraft, chance: Chance): void {
  pod.more['hostNetwork'] = true;
  pod.addPort({ containerPort: chance.one(PORTS) });
}

function addDeclaredFeature({ container }: PodDraft): void {
  container.restartPolicy = 'Never';
  container.restartPolicyRules = [
    { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
  ];
}

function taintKind(effect: 'NoSchedule' | 'NoExecute'): Kind {
  return {
    name: `taint ${effect}`,
    refuses: ({ plugin, about }) =>
      plugin === 'TaintToleration' && about.some((taint) => taint.endsWith(effect)),
  };
}

export const NODE_KINDS: readonly Kind[] = [
  { name: 'cordon', refuses: by('NodeUnschedulable') },
  taintKind('NoSchedule'),
  taintKind('NoExecute'),
  { name: 'tolerations', add: addTolerations, refuses: by('TaintToleration') },
  { name: 'nodeSelector', add: addNodeSelector, refuses: by('NodeAffinity') },
  ...(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const).map(affinityKind),
  { name: 'node affinity matchFields', add: addMatchFields, refuses: by('NodeAffinity') },
  { name: 'node affinity, several terms', add: addTerms, refuses: by('NodeAffinity') },
  { name: 'host port', add: addHostPort, refuses: by('NodePorts') },
  { name: 'host port, address and protocol', add: addParticularHostPort, refuses: by('NodePorts') },
  { name: 'host network', add: addHostNetwork, refuses: by('NodePorts') },
  { name: 'declared features', since: 36, add: addDeclaredFeature, refuses: by('NodeDeclaredFeatures') },
];
