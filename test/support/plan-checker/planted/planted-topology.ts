/** Faults between pods: spread, affinity and anti-affinity. */
import { HOSTNAME, ZONE } from '../../../../src/domain/values/labels.js';
import { podTerm, spreadOver, taint } from '../../builders/constraints.js';
import { ZONE_A, ZONE_B } from '../../builders/instance-type.js';
import { node } from '../../builders/node.js';
import { handMadePlan, type HandMadePlan } from '../../builders/plan.js';
import { pod } from '../../builders/pod.js';
import { inputs, plans, TWO, web, twoOf, type Case } from './planted-fault.js';

export function topology(): readonly Case[] {
  const zonal = twoOf({ spread: [spreadOver(ZONE, { app: 'web' })] });
  const inZones = (...zones: readonly (readonly string[])[]): HandMadePlan => ({
    claims: TWO.map((name, index) => ({ pods: [name], zones: zones[index] ?? [] })),
  });
  const withEmptyB = { ...zonal, nodes: [node({ zone: ZONE_B })] };
  const hosts = {
    ...twoOf({ spread: [spreadOver(HOSTNAME, { app: 'web' })] }),
    nodes: [node({ zone: ZONE_B })],
  };
  const apart = twoOf({ podAntiAffinity: { required: [podTerm(ZONE, { app: 'web' })] } });
  const company = twoOf({ podAffinity: { required: [podTerm(ZONE, { app: 'web' })] } });
  const repeller = pod({
    name: 'old',
    nodeName: 'node',
    podAntiAffinity: { required: [podTerm(ZONE, { app: 'web' })] },
  });
  const anywhere = (labels: Record<string, string>, namespaces?: readonly string[]) => ({
    pods: [
      pod({ labels, podAffinity: { required: [podTerm(ZONE, { app: 'db' }, namespaces)] } }),
      pod({ name: 'db', labels: { app: 'db' }, nodeName: 'node' }),
    ],
    nodes: [node()],
  });
  const tight = twoOf({ spread: [spreadOver(ZONE, { app: 'web' }, { minDomains: 2 })] });
  const skewed = inZones([ZONE_A], [ZONE_A]);
  const even = inZones([ZONE_A], [ZONE_B]);
  const together: HandMadePlan = { claims: [{ pods: TWO }] };
  const honour = (nodeTaintsPolicy: 'Honor' | 'Ignore') => ({
    ...twoOf({ spread: [spreadOver(ZONE, { app: 'web' }, { nodeTaintsPolicy })] }),
    nodes: [node({ zone: ZONE_B, taints: [taint('dedicated')] })],
  });
  const spread: readonly Case[] = [
    { kind: 'spread', fault: 'two pods in a zone beside an empty one', ...plans(withEmptyB, skewed, even) },
    {
      kind: 'spread',
      fault: 'a claim that may land in the fuller zone',
      ...plans(withEmptyB, inZones([ZONE_A], [ZONE_A, ZONE_B]), even),
    },
    { kind: 'spread', fault: 'two pods on a host beside an empty one', ...plans(hosts, together, even) },
    { kind: 'spread', fault: 'fewer domains than minDomains', ...plans(tight, together, even) },
    {
      kind: 'spread',
      fault: 'an empty zone whose taint is ignored',
      bad: [honour('Ignore'), handMadePlan(honour('Ignore'), skewed)],
      good: [honour('Honor'), handMadePlan(honour('Honor'), skewed)],
    },
    {
      kind: 'spread',
      fault: 'a zone that could be launched into',
      ...plans(zonal, skewed, even),
      options: { spread: { domains: 'launchable' } },
    },
  ];
  const pods: readonly Case[] = [
    {
      kind: 'pod-anti-affinity',
      fault: 'two pods that repel each other in one zone',
      ...plans(apart, skewed, even),
    },
    {
      kind: 'pod-anti-affinity',
      fault: 'claims that may land in one zone',
      ...plans(apart, inZones([ZONE_A, ZONE_B], [ZONE_B]), even),
    },
    {
      kind: 'pod-anti-affinity',
      fault: 'a bound pod that repels the new one',
      ...inputs(
        { pods: [pod(web), repeller], nodes: [node()] },
        { pods: [pod(web), repeller], nodes: [node({ zone: ZONE_B })] },
      ),
    },
    { kind: 'pod-affinity', fault: 'a group that starts in two zones', ...plans(company, even, skewed) },
    {
      kind: 'pod-affinity',
      fault: 'a claim that may land elsewhere',
      ...plans(company, inZones([ZONE_A], [ZONE_A, ZONE_B]), skewed),
    },
    {
      kind: 'pod-affinity',
      fault: 'nobody to join in the zone',
      ...inputs({ ...anywhere({}), nodes: [node({ zone: ZONE_B })] }, anywhere({})),
    },
    {
      kind: 'pod-affinity',
      fault: 'company in another namespace',
      ...inputs(anywhere({}, ['other']), anywhere({}, ['other', 'default'])),
    },
  ];
  return [...spread, ...pods];
}
