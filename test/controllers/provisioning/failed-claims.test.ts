/** A NodeClaim that cannot be created delays the pods that it was for, and no others. */
import type { KubeWriter, NewNodeClaim } from '../../../src/ports/kube-writer.js';
import { PortError } from '../../../src/ports/port-error.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** Two pools that only pods with their selector can use. */
function world(): ProvisioningWorld {
  return new ProvisioningWorld([
    nodePoolDocument('good', { template: labelled('good') }),
    nodePoolDocument('bad', { template: labelled('bad') }),
  ]);
}

function labelled(team: string): object {
  return {
    metadata: { labels: { team } },
    spec: {
      requirements: [],
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    },
  };
}

const pod = (name: string, team: string) =>
  observedPod({ name, uid: `uid-${name}`, requests: { cpu: '500m' }, nodeSelector: { team } });

/** An API server that refuses every NodeClaim of NodePool bad; answers when it was asked for one. */
function refusing(planted: ProvisioningWorld): { readonly kube: KubeWriter; readonly asked: number[] } {
  const asked: number[] = [];
  const kube = new Proxy(planted.kube, {
    get: (target, name): unknown => {
      const method = Reflect.get(target, name) as (...args: readonly unknown[]) => unknown;
      if (name !== 'createNodeClaim') return method.bind(target);
      return (claim: NewNodeClaim, signal?: AbortSignal) => {
        if (claim.spec.nodePool !== 'bad') return target.createNodeClaim(claim, signal);
        asked.push(planted.clock.monotonic());
        return Promise.reject(new PortError('Invalid', { operation: 'create', message: 'a bad label' }));
      };
    },
  });
  return { kube, asked };
}

describe('a NodeClaim that the API server refuses', () => {
  test('leaves the rest of the batch, and every later batch, without delay', async () => {
    const planted = world();
    const { kube } = refusing(planted);
    planted.start(kube);
    planted.pods([pod('bad-1', 'bad'), pod('good-1', 'good')]);
    await planted.clock.advance(120_000);
    expect(planted.heldPods()).toEqual(['uid-good-1']);
    planted.pods([pod('good-2', 'good')]);
    await planted.clock.advance(1500);
    expect(planted.heldPods()).toEqual(['uid-good-1', 'uid-good-2']);
  });

  test('is tried again later and later, by itself', async () => {
    const planted = world();
    const { kube, asked } = refusing(planted);
    planted.start(kube);
    planted.pods([pod('bad-1', 'bad')]);
    await planted.clock.advance(300_000);
    expect(asked.length).toBeGreaterThan(6);
    expect(asked.length).toBeLessThan(20);
    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(gaps.at(-1)).toBeGreaterThan(25_000);
  });

  test('is reported on the pods that it was for', async () => {
    const planted = world();
    planted.start(refusing(planted).kube);
    planted.pods([pod('bad-1', 'bad')]);
    await planted.clock.advance(3000);
    const told = planted.told.decisions.find(({ reason }) => reason === 'PlaceNotWritten');
    expect(told).toMatchObject({
      subject: { kind: 'Pod', name: 'bad-1' },
      message: expect.stringContaining('failed to write the NodeClaim of NodePool bad') as string,
      event: { type: 'Warning', reason: 'FailedScheduling' },
    });
  });

  test('is created once the API server takes it', async () => {
    const planted = world();
    planted.kube.fail({ method: 'createNodeClaim', code: 'Unavailable', times: 3 });
    planted.start();
    planted.pods([pod('good-1', 'good')]);
    await planted.clock.advance(30_000);
    expect(planted.heldPods()).toEqual(['uid-good-1']);
  });
});

describe('pods whose write failed', () => {
  /** How many plans ten minutes take with these pods, of which none fits the pool but good-1. */
  async function played(pods: readonly string[], fails: boolean) {
    const planted = world();
    let plans = 0;
    if (fails) planted.kube.fail({ method: 'createNodeClaim', code: 'Unavailable', times: 1 });
    planted.start(planted.kube, {
      aroundPlanner: (planner) => ({
        plan: (question, signal) => {
          plans++;
          return planner.plan(question, signal);
        },
        disrupt: (question, signal) => planner.disrupt(question, signal),
        close: () => planner.close(),
      }),
    });
    planted.pods(pods.map((name) => pod(name, name.split('-')[0] ?? '')));
    await planted.clock.advance(30_000);
    const held = planted.heldPods();
    await planted.clock.advance(570_000);
    return { held, plans };
  }

  test('get their turn beside one that no pool fits, and are not planned all the time', async () => {
    const { plans: alone } = await played(['none-1'], false);
    const { held, plans } = await played(['none-1', 'good-1'], true);
    expect(held).toEqual(['uid-good-1']);
    expect(plans).toBeLessThanOrEqual(alone + 4);
  });
});
