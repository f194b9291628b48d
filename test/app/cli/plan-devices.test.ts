/** `berth plan` with pods that claim devices: templates, classes and what drivers have published come from files, too. */
import { stringify } from 'yaml';
import type { PlanDocument } from '../../../src/app/cli/render/plan/plan-document.js';
import { NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';

const DRIVER = 'gpu.nvidia.com';
const group = 'resource.k8s.io/v1';

const deviceClass = stringify({
  apiVersion: group,
  kind: 'DeviceClass',
  metadata: { name: DRIVER },
  spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
});
const template = stringify({
  apiVersion: group,
  kind: 'ResourceClaimTemplate',
  metadata: { name: 'one' },
  spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }] } } },
});
const pod = stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'train' },
  spec: {
    containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
    resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }],
  },
});
const pool = poolText({
  requirements: ['{key: karpenter.k8s.aws/instance-family, operator: In, values: [g5, m5]}'],
});

async function planned(...documents: readonly string[]): Promise<PlanDocument> {
  const { stdout } = await runBerth(['plan', '-f', '-', '-o', 'json'], {
    files: { '-': stream(pool, NODE_CLASS_TEXT, ...documents) },
  });
  return JSON.parse(stdout) as PlanDocument;
}

test('a pod that claims a GPU gets a type that has one, and a template that is missing is named', async () => {
  const { nodeClaims, unschedulable } = await planned(deviceClass, template, pod);
  expect(unschedulable).toEqual([]);
  expect(nodeClaims[0]?.instanceTypes[0]).toMatch(/^g5\./);
  const { unschedulable: left } = await planned(deviceClass, pod);
  expect(JSON.stringify(left)).toContain('ResourceClaimTemplate default/one does not exist');
});
