import { allowsDedicated, tenancyOf } from '../../../src/domain/nodes/tenancy.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import { oneOf } from '../../support/builders/constraints.js';

const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

test.each<[string, readonly Requirement[], string | undefined, string]>([
  ['nothing', [], undefined, 'default'],
  ['dedicated', [requirement(TENANCY, 'In', ['dedicated'])], undefined, 'dedicated'],
  ['both', [requirement(TENANCY, 'In', ['default', 'dedicated'])], undefined, 'default'],
  ['any', [requirement(TENANCY, 'Exists')], undefined, 'default'],
  ['anything but the default', [requirement(TENANCY, 'NotIn', ['default'])], undefined, 'dedicated'],
  ['dedicated as a label', [], 'dedicated', 'dedicated'],
  [
    'both, and one of them as a label',
    [requirement(TENANCY, 'In', ['default', 'dedicated'])],
    'dedicated',
    'dedicated',
  ],
])('a pool that requires %s', (_, requirements, label, tenancy) => {
  const labels = new Map(label === undefined ? [] : [[TENANCY, label]]);
  expect(tenancyOf({ requirements, labels })).toBe(tenancy);
});

test.each<[string, readonly Requirement[], Readonly<Record<string, string>>, boolean]>([
  ['says nothing', [], {}, true],
  ['requires something else', [oneOf('team', 'red')], { team: 'red' }, true],
  ['lists both', [oneOf(TENANCY, 'default', 'dedicated')], {}, true],
  ['requires the usual tenancy', [oneOf(TENANCY, 'default')], {}, false],
  ['excludes dedicated instances', [requirement(TENANCY, 'NotIn', ['dedicated'])], {}, false],
  ['has the usual tenancy as a label', [], { [TENANCY]: 'default' }, false],
])('whether a pool that %s allows dedicated instances', (_, requirements, labels, isAllowed) => {
  expect(allowsDedicated({ requirements, labels: new Map(Object.entries(labels)) })).toBe(isAllowed);
});
