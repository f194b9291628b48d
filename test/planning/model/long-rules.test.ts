/** Pods whose rules are longer than planning takes: they are set aside by name, and the others are planned. */
import { plan } from '../../../src/planning/engine/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { describeReason } from '../../../src/planning/describe-reason.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, oneOf, podTerm, requiredTerms, spreadOver } from '../../support/builders/constraints.js';
import { pod, replicas, type PodOverrides } from '../../support/builders/pod.js';

const HOSTNAME = 'kubernetes.io/hostname';

/** So many different texts. */
function texts(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `v${String(index)}`);
}

/** Rules of about this length, each of another kind. */
const KINDS: Readonly<Record<string, (length: number) => PodOverrides>> = {
  'values of node affinity': (length) => ({
    nodeAffinity: requiredTerms(nodeTerm(oneOf('kubernetes.io/arch', 'amd64', ...texts(length)))),
  }),
  'terms of node affinity': (length) => ({
    nodeAffinity: requiredTerms(
      ...texts(length / 3).map(() => nodeTerm(oneOf('kubernetes.io/arch', 'amd64'))),
    ),
  }),
  tolerations: (length) => ({
    tolerations: texts(length).map((key) => ({ key, operator: 'Exists', value: '', effect: 'NoSchedule' })),
  }),
  'terms of anti-affinity': (length) => ({
    podAntiAffinity: { required: texts(length / 4).map((app) => podTerm(HOSTNAME, { app })) },
  }),
  'spread constraints': (length) => ({
    spread: texts(length / 3).map((app) => spreadOver(HOSTNAME, { app })),
  }),
  'host ports': (length) => ({
    hostPorts: texts(length).map((_, index) => ({ port: index + 1, hostIP: '0.0.0.0', protocol: 'TCP' })),
  }),
};

describe.each(Object.entries(KINDS))('a pod with long rules: %s', (_, rules) => {
  const others = replicas(5, { name: 'web' });
  const planned = (length: number): ReturnType<typeof plan> =>
    plan(
      buildSnapshot(clusterInput({ pods: [...others, pod({ name: 'long', ...rules(length) })] })),
      DEFAULT_PLAN_OPTIONS,
    );

  test('is set aside with the length and what is allowed, while the others get their places', () => {
    const { placements, unschedulable } = planned(6000);
    expect(placements.map((placement) => placement.pod)).toEqual(
      others.map(({ namespace, name }) => `${namespace}/${name}`),
    );
    expect(unschedulable.map((answer) => answer.pod)).toEqual(['default/long']);
    const [first] = unschedulable[0]?.reasons ?? [];
    expect(first?.reason).toMatchObject({ code: 'TooComplex', most: 4096 });
    expect(first && describeReason(first.reason)).toMatch(/at most 4096 are supported; remove/);
  });

  test('is planned as others are while they are a little shorter than is allowed', () => {
    const { placements, unschedulable } = planned(3600);
    expect(unschedulable).toEqual([]);
    expect(placements).toHaveLength(6);
  });
});
