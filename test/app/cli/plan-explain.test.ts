/** What `berth plan` tells besides: `--explain`, and `--duals`, whose proof is checked from the files alone. */
import type { PlanDocument } from '../../../src/app/cli/render/plan/plan-document.js';
import { clusterInput, demandOf } from '../../../src/app/input/cluster-input.js';
import { readManifests } from '../../../src/app/input/read-manifests.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan as solve } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { checkDuals } from '../../support/plan-checker/duals/check-duals.js';
import { readDuals } from '../../support/plan-checker/duals/read-duals.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';

const second = poolText({
  name: 'second',
  requirements: [
    '{key: karpenter.k8s.aws/instance-family, operator: In, values: [r7g]}',
    '{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}',
  ],
});
const manifests = stream(
  poolText(),
  second,
  NODE_CLASS_TEXT,
  deploymentText('web', 9),
  deploymentText('api', 4, '{cpu: 300m, memory: 6Gi}'),
);

async function printed(...flags: readonly string[]): Promise<PlanDocument> {
  const { stdout } = await runBerth(['plan', '-f', '-', '-o', 'json', ...flags], {
    files: { '-': manifests },
  });
  return JSON.parse(stdout) as PlanDocument;
}

describe('berth plan --explain', () => {
  test('tells of every claim what else there was', async () => {
    const { nodeClaims } = await printed('--explain');
    expect(nodeClaims).not.toEqual([]);
    for (const { why, hourlyPrice, nodePool } of nodeClaims) {
      expect(why?.holding).toBeGreaterThan(0);
      expect(why?.cheaper?.hourlyPrice ?? 0).toBeLessThan(hourlyPrice);
      expect(why?.alternative?.nodePool).toBe(nodePool === 'second' ? 'general' : 'second');
      expect(why?.alternative?.instanceType).toMatch(nodePool === 'second' ? /^m7g/ : /^r7g/);
    }
  });

  test('prints the same fields as before without the flag, and the same plan with it', async () => {
    const [plain, explained] = [await printed(), await printed('--explain')];
    expect(plain.nodeClaims.some((claim) => 'why' in claim)).toBe(false);
    expect(plain.cost).not.toHaveProperty('duals');
    const nodeClaims = explained.nodeClaims.map(({ why, ...claim }) => {
      expect(why).toBeDefined();
      return claim;
    });
    expect({ ...explained, nodeClaims }).toEqual(plain);
  });

  test('says it in words to people', async () => {
    const { stdout } = await runBerth(['plan', '-f', '-', '--explain'], { files: { '-': manifests } });
    expect(stdout).toMatch(
      /Why these nodes:\n(?: {2}.*\n)* {2}\S+.*: \d+ instance types of the pool fit its pods; \S+ at [\d.]+ USD\/h lacks .*; the next best pool, (second|general), would launch /,
    );
  });
});

describe('berth plan --duals', () => {
  test('prints a proof of the lower bound that needs nothing but the files', async () => {
    const { cost } = await printed('--duals');
    const input = readInput();
    const made = solve(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
    const duals = cost.duals === undefined ? undefined : readDuals(cost.duals);
    const { bound, violations } = checkDuals(
      input,
      { ...made, cost: { ...made.cost, lowerBound: cost.lowerBound } },
      duals ?? { prices: [], pods: [] },
    );
    expect(formatViolations(violations)).toBe('');
    expect(bound).toBeGreaterThan(0);
    expect(bound).toBeLessThanOrEqual(cost.hourly);
    expect(bound).toBeGreaterThanOrEqual((cost.lowerBound ?? Infinity) - 1e-6);
  });
});

/** The manifests read as a cluster, without planning. */
function readInput(): ClusterInput {
  const read = readManifests([{ source: 'stdin', text: manifests }]);
  return clusterInput(read, demandOf(read.cluster.pods).pods, catalogueFor('eu-west-3'));
}
