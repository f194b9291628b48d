/** Requirements that no node can satisfy are refused where the pool is written, not found out by pods that stay pending. */
import { readPolicies } from '../../../src/apis/policies/read-policies.js';
import { documentsOf, nodeClass, nodePool, templateSpec, type Plain } from '../policies-as-written.js';

const ZONE_ID = 'topology.k8s.aws/zone-id';
const CAPACITY = 'karpenter.sh/capacity-type';
const TENANCY = 'karpenter.k8s.aws/instance-tenancy';
const RESERVATION_TYPE = 'karpenter.k8s.aws/capacity-reservation-type';
const PLACEMENT = 'karpenter.k8s.aws/placement-group-id';
const NODE_CLASS = 'karpenter.k8s.aws/ec2nodeclass';
const REQUIREMENTS = 'spec.template.spec.requirements';
const LIMITS = { cpu: '10' };

function rule(key: string, operator: string, ...values: string[]): Plain {
  return { key, operator, ...(values.length > 0 && { values }) };
}

function requiring(...requirements: Plain[]): Plain {
  return nodePool({ limits: LIMITS, template: { spec: templateSpec({ requirements }) } });
}

function labelled(labels: Plain, ...requirements: Plain[]): Plain {
  const template = { metadata: { labels }, spec: templateSpec({ requirements }) };
  return nodePool({ limits: LIMITS, template });
}

function errorsOf(pool: Plain): readonly string[] {
  return readPolicies(documentsOf(pool, nodeClass())).issues.flatMap(({ severity, code, path }) =>
    severity === 'error' ? [`${code} ${path.join('.')}`] : [],
  );
}

describe('refused', () => {
  test.each<[string, Plain, string]>([
    ['a node class', requiring(rule(NODE_CLASS, 'Exists')), `unsatisfiable ${REQUIREMENTS}.0.key`],
    [
      'a node class as a label',
      labelled({ [NODE_CLASS]: 'default' }),
      `unsatisfiable spec.template.metadata.labels.${NODE_CLASS}`,
    ],
    [
      'the tenancy of dedicated hosts',
      requiring(rule(TENANCY, 'In', 'host')),
      `invalid-value ${REQUIREMENTS}.0.values`,
    ],
    [
      'any tenancy but those that there are',
      requiring(rule(TENANCY, 'NotIn', 'default', 'dedicated')),
      `unsatisfiable ${REQUIREMENTS}`,
    ],
    [
      'an unknown architecture',
      requiring(rule('kubernetes.io/arch', 'In', 'x86_64')),
      `invalid-value ${REQUIREMENTS}.0.values`,
    ],
    [
      'an unknown kind of reservation',
      requiring(rule(RESERVATION_TYPE, 'In', 'odcr')),
      `invalid-value ${REQUIREMENTS}.0.values`,
    ],
    [
      'a kind of reservation without the capacity type reserved',
      requiring(rule(RESERVATION_TYPE, 'In', 'default'), rule(CAPACITY, 'In', 'spot', 'on-demand')),
      `unsatisfiable ${REQUIREMENTS}`,
    ],
    [
      'two that contradict each other',
      requiring(rule('a', 'In', 'b'), rule('a', 'In', 'c')),
      `unsatisfiable ${REQUIREMENTS}`,
    ],
    [
      'one that contradicts a label',
      labelled({ a: 'b' }, rule('a', 'NotIn', 'b')),
      `unsatisfiable ${REQUIREMENTS}`,
    ],
  ])('%s', (_, pool, error) => {
    expect(errorsOf(pool)).toEqual([error]);
  });

  test('with what could be written instead', () => {
    const issuesOf = (pool: Plain) =>
      readPolicies(documentsOf(pool, nodeClass())).issues.filter(({ severity }) => severity === 'error');
    expect(issuesOf(requiring(rule(NODE_CLASS, 'In', 'default')))[0]?.message).toContain(
      'spec.template.spec.nodeClassRef decides the node class',
    );
    expect(issuesOf(requiring(rule(TENANCY, 'In', 'host')))[0]?.allowed).toEqual(['default', 'dedicated']);
  });
});

describe('accepted', () => {
  test.each<[string, Plain]>([
    ['known tenancy beside another', requiring(rule(TENANCY, 'In', 'default', 'host'))],
    ['dedicated tenancy', requiring(rule(TENANCY, 'In', 'dedicated'))],
    ['dedicated tenancy as a label', labelled({ [TENANCY]: 'dedicated' })],
    ['a zone by its id', requiring(rule(ZONE_ID, 'In', 'euw3-az1'))],
    ['a zone id as a label', labelled({ [ZONE_ID]: 'euw3-az1' })],
    ['a zone id that is excluded', requiring(rule(ZONE_ID, 'NotIn', 'euw3-az1'))],
    ['no placement group', requiring(rule(PLACEMENT, 'DoesNotExist'))],
    [
      'a partition of a placement group',
      requiring(rule(`karpenter.k8s.aws/placement-group-partition`, 'In', '1')),
    ],
    [
      'a kind of reservation',
      requiring(rule(RESERVATION_TYPE, 'In', 'capacity-block'), rule(CAPACITY, 'In', 'reserved')),
    ],
    ['a reservation where any capacity type is allowed', requiring(rule(RESERVATION_TYPE, 'Exists'))],
  ])('%s', (_, pool) => {
    expect(errorsOf(pool)).toEqual([]);
  });
});
