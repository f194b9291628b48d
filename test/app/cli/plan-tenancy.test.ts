/** `berth plan` for pods that select dedicated instances, from files to text. */
import type { PlanDocument } from '../../../src/app/cli/render/plan/plan-document.js';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';

const TENANCY = 'karpenter.k8s.aws/instance-tenancy';
const ASKING = deploymentText('asking', 1).replace(
  '      containers:',
  `      nodeSelector: {${TENANCY}: dedicated}\n      containers:`,
);

async function planned(...documents: readonly string[]) {
  const files = { '-': stream(NODE_CLASS_TEXT, ...documents) };
  const { stdout, code } = await runBerth(['plan', '-f', '-', '-o', 'json'], { files });
  return { plan: JSON.parse(stdout) as PlanDocument, code };
}

test('a pod that selects the tenancy dedicated is planned on a dedicated instance of a pool that says nothing of it', async () => {
  const { plan: usual } = await planned(poolText(), deploymentText('any', 1));
  const { plan, code } = await planned(poolText(), ASKING);
  expect(code).toBe(0);
  expect(plan.nodeClaims[0]?.instanceTypes).toEqual(usual.nodeClaims[0]?.instanceTypes);
  expect(plan.cost.hourly / usual.cost.hourly).toBeCloseTo(1.06, 3);
});

test('a pool that requires the usual tenancy is named as what keeps the pod from a dedicated instance', async () => {
  const requirements = [
    '{key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g]}',
    `{key: ${TENANCY}, operator: In, values: [default]}`,
  ];
  const { plan, code } = await planned(poolText({ requirements }), ASKING);
  expect(code).toBe(3);
  expect(plan.unschedulable[0]?.reasons[0]?.reason).toContain("allow dedicated in the pool's requirements");
});

test('what is paid for a dedicated instance is its own list price, where an overlay says what it is worth', async () => {
  const overlay = [
    'apiVersion: karpenter.sh/v1alpha1',
    'kind: NodeOverlay',
    'metadata: {name: committed}',
    `spec: {requirements: [{key: ${TENANCY}, operator: In, values: [dedicated]}], priceAdjustment: "-50%"}`,
    '',
  ].join('\n');
  const { plan } = await planned(poolText(), ASKING, overlay);
  expect(plan.cost.listHourly).toBeCloseTo(plan.cost.hourly * 2, 5);
});
