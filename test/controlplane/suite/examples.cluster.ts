/** Every example, applied with kubectl as its page says, with EC2 at the wire: stamped, planned, launched, and bound where planned. */
import { EXAMPLE_NAMES, SHARED } from '../../examples/example-files.js';
import { EXPECTED, type Instance } from '../../examples/expected-instances.js';
import { Scenario } from '../../scenario/scenario.js';
import { policy } from '../../scenario/objects.js';
import type { SeenClaim, SeenPod } from '../../scenario/world.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { applyFolder } from '../berth/overlay.js';
import { RealWorld } from '../berth/real-world.js';
import { PODS } from '../fixture/api/kube-object.js';

describe('manifests/examples on a real control plane', () => {
  let berth: BerthCluster;
  let world: RealWorld;

  beforeAll(async () => {
    berth = await BerthCluster.start();
    world = new RealWorld(berth);
    await applyFolder(berth.cluster, `examples/${SHARED}`);
    await new Scenario(world).given(STAMPING);
  }, 120_000);

  afterAll(async () => {
    await berth.stop();
  });

  /** The pods of an example once all of them run. */
  async function running(example: string): Promise<readonly SeenPod[]> {
    const planned = instancesOf(example);
    const count = planned.reduce((sum, { pods }) => sum + pods, 0);
    return world.until(
      `the ${String(count)} pods of ${example} are bound and ready`,
      async () => {
        const pods = (await world.pods()).filter(({ namespace }) => namespace === `example-${example}`);
        return pods.length === count && pods.every(({ ready }) => ready) && pods;
      },
      60,
    );
  }

  /** The claims that carry these pods. */
  async function claimsUnder(pods: readonly SeenPod[]): Promise<readonly SeenClaim[]> {
    const names = new Set(pods.map(({ nodeName }) => nodeName));
    return (await world.claims()).filter(({ nodeName }) => names.has(nodeName));
  }

  test.each(EXAMPLE_NAMES)('%s gets the instances that its page promises', async (example) => {
    await applyFolder(berth.cluster, `examples/${example}`);
    const pods = await running(example);
    const claims = await claimsUnder(pods);
    // The cloud has everything in stock, so it sells what is cheapest.
    expect(claims.map(({ nodePool, instanceType = '' }) => `${nodePool} ${instanceType}`).sort()).toEqual(
      instancesOf(example)
        .map(({ nodePool, type }) => `${nodePool} ${type}`)
        .sort(),
    );
  });

  test('each pod is on the node that it was planned for first', async () => {
    const pods = (await world.pods()).filter(({ ofDaemonSet }) => !ofDaemonSet);
    const nodeOf = new Map(
      (await world.claims()).map(({ name, nodeName }) => [`NodeClaim/${name}`, nodeName]),
    );
    const plans = await world.plans();
    const astray = pods.filter(
      ({ uid, nodeName }) => nodeOf.get(plans.get(uid)?.targets[0] ?? '') !== nodeName,
    );
    expect(pods.length).toBeGreaterThan(0);
    expect(astray.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([]);
  });

  test('each pod was stamped by the webhook', async () => {
    const { items } = await berth.cluster.api.list(PODS);
    const unstamped = items.filter(
      ({ metadata }) => metadata.annotations?.['berth.sh/stamped'] === undefined,
    );
    expect(items.length).toBeGreaterThan(0);
    // The API server lets a pod through unstamped when the webhook cannot be asked, and its log says why.
    expect({
      unstamped: unstamped.map(({ metadata }) => metadata.name),
      failures: unstamped.length > 0 ? webhookFailures(berth) : [],
    }).toEqual({ unstamped: [], failures: [] });
  });

  test('each node was registered with the labels of its claim, and without taints of ours', async () => {
    // Pods may run on a node before Berth says that it is initialised, and the node life cycle may taint one with NoExecute for
    // a moment after it became Ready.
    const nodes = await world.until(
      'every node is initialised and has lost the taints of its start',
      async () => {
        const all = await world.nodes();
        return all.every(({ labels, taints }) => isInitialized(labels) && !taints.some(isOfTheStart)) && all;
      },
      30,
    );
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of nodes) {
      expect(node.labels).toMatchObject({
        'karpenter.sh/nodepool': expect.any(String) as string,
        'karpenter.sh/registered': 'true',
        'karpenter.k8s.aws/instance-family': expect.any(String) as string,
      });
      expect(node.taints.filter((taint) => taint.includes('disrupted'))).toEqual([]);
    }
  });
});

/** What the API server says of calls to webhooks that failed. */
function webhookFailures({ cluster }: BerthCluster): readonly string[] {
  const lines = cluster.logTail('kube-apiserver', 100_000).split('\n');
  return lines.filter((line) => line.includes('failed calling webhook'));
}

function isInitialized(labels: Readonly<Record<string, string>>): boolean {
  return labels['karpenter.sh/initialized'] === 'true';
}

function isOfTheStart(taint: string): boolean {
  return /unregistered|not-ready/.test(taint);
}

function instancesOf(example: string): readonly Instance[] {
  return EXPECTED[example]?.instances ?? [];
}

/** A toleration changes no example's plan, and shows that the webhook was asked. */
const STAMPING = policy('stamping', {
  apiVersion: 'berth.sh/v1',
  kind: 'PodDefaults',
  metadata: { name: 'stamping' },
  spec: { tolerations: [{ key: 'example.berth.sh/stamped', operator: 'Exists' }] },
});
