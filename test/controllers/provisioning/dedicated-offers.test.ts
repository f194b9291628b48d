/** Dedicated instances on offer, while pods ask for them. */
import { PoolOffers } from '../../../src/controllers/provisioning/pool-offers.js';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { INSTANCE_TENANCY } from '../../../src/domain/values/labels.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { podSpec } from '../../support/builders/pod.js';
import { nodeClassDocument } from '../../support/builders/policy-document.js';
import { nodePoolDocument, putAccepted } from '../../support/builders/policy-status.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { SmallCloud, smallCloudCatalogue } from '../../support/small-cloud.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const SIGNAL = new AbortController().signal;
const ASKING = { nodeSelector: { [INSTANCE_TENANCY]: 'dedicated' } };

function requiring(name: string, tenancy: string): JsonObject {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const requirements = [{ key: INSTANCE_TENANCY, operator: 'In', values: [tenancy] }];
  return nodePoolDocument(name, { template: { spec: { requirements, nodeClassRef } } });
}

class Scene {
  readonly cluster = new Cluster();
  readonly #clock = new VirtualClock();
  readonly #catalogue = smallCloudCatalogue();
  readonly offers = new PoolOffers({
    cluster: this.cluster,
    catalogue: () => this.#catalogue,
    resolved: new ResolvedNodeClasses({ cloud: new SmallCloud(), clock: this.#clock }),
    unavailableOfferings: new UnavailableOfferings(),
    clock: this.#clock,
    logger: recordingLogger().logger,
  });

  constructor() {
    const kube = new InMemoryKube({ clock: this.#clock });
    putAccepted(kube.objects, [
      ...[nodePoolDocument('open'), requiring('usual', 'default'), requiring('dedicated', 'dedicated')],
      nodeClassDocument('default'),
    ]);
    kube.objects.watch(this.cluster);
  }

  async now(...specs: Parameters<PoolOffers['now']>[1][]): Promise<ReadonlyMap<string, PoolOffer>> {
    const offers = await this.offers.now(
      SIGNAL,
      specs.flat().filter((spec) => spec !== undefined),
    );
    return new Map(offers.map((offer) => [offer.pool.name, offer]));
  }
}

describe('pools offer dedicated instances', () => {
  test('from the first pod that asks for them to the last, whatever they require of the tenancy themselves', async () => {
    const scene = new Scene();
    expect((await scene.now()).get('open')).not.toHaveProperty('dedicatedTypes');
    scene.cluster.put('Pod', observedPod({ name: 'asking', ...ASKING }));
    const asked = await scene.now();
    const tenancies = [...asked].map(([name, { instanceTypes = [], dedicatedTypes }]) => [
      name,
      instanceTypes[0]?.labels.get(INSTANCE_TENANCY),
      dedicatedTypes?.[0]?.labels.get(INSTANCE_TENANCY),
    ]);
    expect(tenancies.sort()).toEqual([
      ['dedicated', 'dedicated', undefined],
      ['open', 'default', 'dedicated'],
      ['usual', 'default', 'dedicated'],
    ]);
    expect((await scene.now()).get('open')?.dedicatedTypes).toBe(asked.get('open')?.dedicatedTypes);
    scene.cluster.delete('Pod', 'default/asking');
    expect((await scene.now()).get('open')).not.toHaveProperty('dedicatedTypes');
  });

  test('for pods that do not exist yet', async () => {
    const scene = new Scene();
    const spec = podSpec(ASKING);
    expect((await scene.now([spec])).get('open')?.dedicatedTypes).toBeDefined();
    expect((await scene.now([podSpec()])).get('open')?.dedicatedTypes).toBeUndefined();
  });

  test('as long as there are such nodes, which have a price', async () => {
    const scene = new Scene();
    const labels = new Map([[INSTANCE_TENANCY, 'dedicated']]);
    scene.cluster.put('NodeClaim', nodeClaim({ name: 'own', labels }));
    expect((await scene.now()).get('open')?.dedicatedTypes).toBeDefined();
  });

  test('and price a claim by its own tenancy', () => {
    const scene = new Scene();
    const tenancyOf = (claim: ReturnType<typeof nodeClaim>): string | undefined =>
      scene.offers.typesOf(claim)[0]?.labels.get(INSTANCE_TENANCY);
    const requirements = [requirement(INSTANCE_TENANCY, 'In', ['dedicated'])];
    expect([
      tenancyOf(nodeClaim({ spec: { nodePool: 'open' } })),
      tenancyOf(nodeClaim({ spec: { nodePool: 'open', requirements } })),
    ]).toEqual(['default', 'dedicated']);
  });
});
