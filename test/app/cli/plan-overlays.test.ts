/** `berth plan` with NodeOverlays, from files to text. */
import type { PlanDocument } from '../../../src/app/cli/render/plan/plan-document.js';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';

const FAMILIES = [
  '{key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g, m7i]}',
  '{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}',
  '{key: topology.kubernetes.io/zone, operator: In, values: [eu-west-3a, eu-west-3b]}',
];
const BASE = [poolText({ requirements: FAMILIES }), NODE_CLASS_TEXT, deploymentText('web', 4)];

function overlayText(name: string, ...spec: readonly string[]): string {
  return [
    'apiVersion: karpenter.sh/v1alpha1',
    'kind: NodeOverlay',
    `metadata: {name: ${name}}`,
    'spec:',
    ...spec.map((line) => `  ${line}`),
    '',
  ].join('\n');
}

const ALL = 'requirements: []';
const family = (name: string): string =>
  `requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [${name}]}]`;

async function planned(...documents: readonly string[]) {
  const files = { '-': stream(...documents) };
  const { stdout, stderr, code } = await runBerth(['plan', '-f', '-', '-o', 'json'], { files });
  return { plan: JSON.parse(stdout) as PlanDocument, stderr, code };
}

const familyOf = (plan: PlanDocument): readonly string[] => [
  ...new Set(plan.nodeClaims.map(({ instanceTypes }) => instanceTypes[0]?.split('.')[0] ?? '')),
];

describe('berth plan with NodeOverlays', () => {
  test('says nothing about list prices without them', async () => {
    const { plan } = await planned(...BASE);
    expect(familyOf(plan)).toEqual(['m7g']);
    expect(plan.cost).not.toHaveProperty('listHourly');
  });

  test('takes the types of a family that is worth more than its price says, and tells what is paid', async () => {
    const { plan, stderr, code } = await planned(
      ...BASE,
      overlayText('faster', family('m7i'), 'priceAdjustment: "-50%"'),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(familyOf(plan)).toEqual(['m7i']);
    expect(plan.cost.listHourly).toBeCloseTo(plan.cost.hourly * 2, 5);
  });

  test('takes what a commitment has paid for already, at a price of 0', async () => {
    const { plan, code } = await planned(...BASE, overlayText('reserved', family('m7i'), 'price: "0"'));
    expect(code).toBe(0);
    expect(familyOf(plan)).toEqual(['m7i']);
    expect(plan.cost).toMatchObject({ hourly: 0, lowerBound: 0 });
    expect(plan.cost.listHourly).toBeGreaterThan(0);
    expect(plan.placements).toHaveLength(4);
  });

  test.each(['price: "0"', 'priceAdjustment: "-99.9%"', 'priceAdjustment: "+1000%"'])(
    'places many pods of many sizes where one of two families has %s, at least at the proven bound',
    async (change) => {
      const sizes = Array.from({ length: 30 }, (_, index) =>
        deploymentText(
          `d${String(index)}`,
          1 + (index % 7),
          `{cpu: ${String(100 + 170 * index)}m, memory: ${String(200 + ((index * 977) % 9000))}Mi}`,
        ),
      );
      const { plan, code } = await planned(...BASE, ...sizes, overlayText('o', family('m7g'), change));
      expect(code).toBe(0);
      expect(plan.unschedulable).toEqual([]);
      expect(plan.cost.hourly).toBeGreaterThanOrEqual((plan.cost.lowerBound ?? 0) - 1e-6);
      expect(familyOf(plan)).toEqual([change.includes('+') ? 'm7i' : 'm7g']);
      expect(plan.nodeClaims.length).toBeLessThan(40);
    },
  );

  test('makes fewer nodes of more when each has a licence to pay', async () => {
    const pods = deploymentText('web', 60);
    const [pool = '', nodeClass = ''] = BASE;
    const { plan: free } = await planned(pool, nodeClass, pods);
    const { plan: licensed } = await planned(
      pool,
      nodeClass,
      pods,
      overlayText('licence', ALL, 'priceAdjustment: "+5"'),
    );
    expect(licensed.nodeClaims.length).toBeLessThan(free.nodeClaims.length);
    expect(licensed.cost.listHourly).toBeCloseTo(licensed.cost.hourly - 5 * licensed.nodeClaims.length, 5);
  });

  test('places pods on resources that the catalogue does not know of', async () => {
    const slices = deploymentText('slices', 3, '{cpu: 100m, memory: 100Mi, acme.io/slice: 1}');
    const without = await planned(...BASE, slices);
    expect(without.code).toBe(3);
    const { plan, code } = await planned(
      ...BASE,
      slices,
      overlayText('slices', family('m7i'), 'capacity: {acme.io/slice: 2}'),
    );
    expect(code).toBe(0);
    const holding = plan.nodeClaims.filter(({ pods }) => pods.some((pod) => pod.includes('slices')));
    expect(holding.length).toBeGreaterThanOrEqual(2);
    for (const { instanceTypes } of holding)
      expect(instanceTypes.every((name) => name.startsWith('m7i.'))).toBe(true);
  });

  test('tells people what is paid in one more part of the first line', async () => {
    const text = stream(...BASE, overlayText('faster', family('m7i'), 'priceAdjustment: "-50%"'));
    const { stdout } = await runBerth(['plan', '-f', '-'], { files: { '-': text } });
    expect(stdout).toMatch(/^4 of 4 pods placed .* \d\S* USD\/h at list prices\n/);
  });

  test('warns of one that contradicts another, and plans without it', async () => {
    const other = overlayText('b', family('m7i'), 'priceAdjustment: "-50%"');
    const { plan, stderr, code } = await planned(...BASE, overlayText('a', ALL, 'price: "1"'), other);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: NodeOverlay a: NodeOverlay b has the same weight .*m7i\./);
    expect(familyOf(plan)).toEqual(['m7i']);
    const { plan: alone } = await planned(...BASE, other);
    expect(plan.nodeClaims).toEqual(alone.nodeClaims);
  });

  test('plans as though one were not there that matches nothing', async () => {
    const { plan: without } = await planned(...BASE);
    const { plan } = await planned(
      ...BASE,
      overlayText('none', family('x99'), 'weight: 5', 'price: "0"', 'capacity: {acme.io/slice: 2}'),
    );
    expect(plan).toEqual(without);
  });

  test('refuses a bad one with its place, as it refuses a bad pool', async () => {
    const text = stream(...BASE, overlayText('bad', ALL, 'price: free'));
    const { code, stderr } = await runBerth(['plan', '-f', '-'], { files: { '-': text } });
    expect(code).toBe(2);
    expect(stderr).toContain('spec.price must be a price in USD/h');
  });
});
