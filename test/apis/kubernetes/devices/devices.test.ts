/** Objects of resource.k8s.io/v1 as the API server shows them. */
import {
  decodeDeviceClass,
  decodeResourceClaim,
  decodeResourceClaimTemplate,
} from '../../../../src/apis/kubernetes/devices/resource-claim.js';
import { decodeResourceSlice } from '../../../../src/apis/kubernetes/devices/resource-slice.js';
import { decodePod } from '../../../../src/apis/kubernetes/pods/pod.js';
import { parseQuantity } from '../../../../src/domain/values/quantity.js';
import { alternative } from '../../../support/builders/devices.js';

const cel = (expression: string): object => ({ cel: { expression } });

describe('a claim', () => {
  const devices = {
    requests: [
      { name: 'gpu', exactly: { deviceClassName: 'gpu', selectors: [cel('true')], count: 2 } },
      {
        name: 'nic',
        firstAvailable: [
          { name: 'fast', deviceClassName: 'nic', allocationMode: 'All' },
          { name: 'slow', deviceClassName: 'nic', capacity: { requests: { bandwidth: '1G' } } },
        ],
      },
    ],
    constraints: [{ matchAttribute: 'x.com/numa', requests: ['gpu'] }, { distinctAttribute: 'x.com/slot' }],
  };

  test('is read with its requests, constraints and allocation', () => {
    const { value, findings } = decodeResourceClaim({
      metadata: { namespace: 'ml', name: 'shared' },
      spec: { devices },
      status: {
        allocation: {
          devices: {
            results: [
              { request: 'gpu', driver: 'd', pool: 'p', device: 'gpu-0' },
              { request: 'gpu', driver: 'd', pool: 'p', device: 'gpu-1', adminAccess: true },
              {
                request: 'nic',
                driver: 'd',
                pool: 'p',
                device: 'nic',
                shareID: 'x',
                consumedCapacity: { bandwidth: '1G' },
              },
            ],
          },
          nodeSelector: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
          },
        },
      },
    });
    expect(findings).toEqual([]);
    expect(value).toMatchObject({
      name: 'ml/shared',
      terminating: false,
      spec: {
        requests: [
          { name: 'gpu', alternatives: [alternative({ selectors: ['true'], count: 2 })] },
          {
            name: 'nic',
            alternatives: [
              alternative({ name: 'fast', deviceClass: 'nic', mode: 'All' }),
              alternative({
                name: 'slow',
                deviceClass: 'nic',
                capacity: new Map([['bandwidth', parseQuantity('1G')]]),
              }),
            ],
          },
        ],
        constraints: [
          { kind: 'match', attribute: 'x.com/numa', requests: ['gpu'] },
          { kind: 'distinct', attribute: 'x.com/slot', requests: [] },
        ],
        unknown: undefined,
      },
      allocation: {
        devices: [
          { id: 'd/p/gpu-0', adminAccess: false, consumed: undefined },
          { id: 'd/p/gpu-1', adminAccess: true, consumed: undefined },
          { id: 'd/p/nic', consumed: new Map([['d/bandwidth', parseQuantity('1G')]]) },
        ],
      },
    });
    expect(value?.allocation?.terms).toHaveLength(1);
  });

  test.each([
    ['a request of another form', { requests: [{ name: 'a', sometime: {} }] }, 'requests[0]'],
    [
      'another allocationMode',
      { requests: [{ name: 'a', exactly: { deviceClassName: 'x', allocationMode: 'Some' } }] },
      'allocationMode Some',
    ],
    [
      'another selector',
      { requests: [{ name: 'a', exactly: { deviceClassName: 'x', selectors: [{ rego: '' }] } }] },
      'selectors[0]',
    ],
    ['another constraint', { constraints: [{ nearAttribute: 'x' }] }, 'constraints[0]'],
  ])('with %s says which part is not known', (_, spec, unknown) => {
    const { value } = decodeResourceClaimTemplate({
      metadata: { name: 'one' },
      spec: { spec: { devices: spec } },
    });
    expect(value).toMatchObject({ name: 'default/one', spec: { unknown } });
  });
});

test('a class with a selector of another kind selects nothing', () => {
  const { value } = decodeDeviceClass({
    metadata: { name: 'gpu' },
    spec: { selectors: [{ rego: '' }, cel('true')] },
  });
  expect(value).toEqual({ name: 'gpu', selectors: ['false', 'true'] });
});

test('a slice is read with attributes and capacities in the domain of its driver', () => {
  const { value, findings } = decodeResourceSlice({
    metadata: { name: 's' },
    spec: {
      driver: 'gpu.x.com',
      nodeName: 'n1',
      pool: { name: 'p', generation: 3, resourceSliceCount: 2 },
      sharedCounters: [{ name: 'card', counters: { slices: { value: '7' } } }],
      devices: [
        {
          name: 'gpu-0',
          attributes: {
            model: { string: 'a' },
            'y.com/n': { int: 3 },
            ok: { bool: true },
            v: { version: '1.0.0' },
          },
          capacity: {
            memory: { value: '1Gi', requestPolicy: { default: '1Mi', validRange: { min: '1Mi' } } },
          },
          taints: [{ key: 'k', effect: 'NoExecute' }],
          allowMultipleAllocations: true,
          consumesCounters: [{ counterSet: 'card', counters: { slices: { value: '1' } } }],
        },
      ],
    },
  });
  expect(findings).toEqual([]);
  expect(value).toMatchObject({
    ...{ driver: 'gpu.x.com', pool: 'p', generation: 3, slices: 2, reach: { nodeName: 'n1' } },
    counters: new Map([['card', new Map([['slices', parseQuantity('7')]])]]),
    devices: [{ name: 'gpu-0', shareable: true, taints: [{ key: 'k', value: '', effect: 'NoExecute' }] }],
  });
  const [gpu] = value?.devices ?? [];
  expect([...(gpu?.attributes ?? [])]).toEqual([
    ['gpu.x.com/model', { type: 'string', value: 'a' }],
    ['y.com/n', { type: 'int', value: 3 }],
    ['gpu.x.com/ok', { type: 'bool', value: true }],
    ['gpu.x.com/v', { type: 'version', value: '1.0.0' }],
  ]);
  expect(gpu?.capacity.get('gpu.x.com/memory')?.policy?.default).toBe(parseQuantity('1Mi'));
});

test('a pod that waits has the claims that were made for it, a bound one those of its template', () => {
  const pod = (spec: object): object => ({
    metadata: { name: 'web' },
    spec: {
      containers: [{ name: 'main' }],
      resourceClaims: [
        { name: 'own', resourceClaimTemplateName: 'one' },
        { name: 'shared', resourceClaimName: 'all' },
      ],
      ...spec,
    },
    status: { resourceClaimStatuses: [{ name: 'own', resourceClaimName: 'web-own-x' }] },
  });
  expect(decodePod(pod({})).value?.spec.resourceClaims).toEqual([
    { name: 'own', claim: 'default/web-own-x', template: 'default/one' },
    { name: 'shared', claim: 'default/all', template: undefined },
  ]);
  expect(decodePod(pod({ nodeName: 'n1' })).value?.spec.resourceClaims).toEqual([
    { name: 'own', claim: undefined, template: 'default/one', isAllocated: true },
    { name: 'shared', claim: 'default/all', template: undefined, isAllocated: true },
  ]);
});
