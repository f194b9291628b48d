/** What every implementation of the port InstanceHandover does. */
import { instanceID } from '../../src/domain/nodes/node-claim.js';
import { CLUSTER_TAG, NODECLAIM_TAG, type Cloud } from '../../src/ports/cloud.js';
import { adoptedTags, BERTH_TAG_KEYS, type InstanceHandover } from '../../src/ports/instance-handover.js';

export interface HandoverSubject {
  readonly cloud: Cloud;
  readonly handover: InstanceHandover;
  /** Provider ID of an instance that another controller launched. */
  readonly foreign: string;
}

const OWNED = adoptedTags(
  { uid: 'cluster-1', name: 'demo' },
  { nodePool: 'general', nodeClaim: 'general-1' },
);
const OURS = new Map([[CLUSTER_TAG, 'cluster-1']]);

export function instanceHandoverLaws(name: string, make: () => Promise<HandoverSubject>): void {
  describe(`${name} as InstanceHandover`, () => {
    test('finds an instance that another controller launched, and leaves out those that there are not', async () => {
      const { handover, foreign, cloud } = await make();
      const found = await handover.instances([foreign, `${foreign}0`]);
      expect(found.map(({ providerID, state }) => ({ providerID, state }))).toEqual([
        { providerID: foreign, state: 'running' },
      ]);
      expect(await cloud.instances(OURS)).toEqual([]);
    });

    test('an instance with the tags of Berth is one of its own, until they are removed; asking twice changes nothing', async () => {
      const { handover, foreign, cloud } = await make();
      const id = instanceID(foreign);
      for (let times = 0; times < 2; times++) await handover.addTags(id, OWNED);
      expect((await cloud.instances(OURS)).map(({ providerID }) => providerID)).toEqual([foreign]);
      const [seen] = await handover.instances([foreign]);
      expect(seen?.tags.get(NODECLAIM_TAG)).toBe('general-1');
      for (let times = 0; times < 2; times++) await handover.removeTags(id, BERTH_TAG_KEYS);
      expect(await cloud.instances(OURS)).toEqual([]);
      expect((await handover.instances([foreign])).map(({ state }) => state)).toEqual(['running']);
    });

    test('the tags of Karpenter are those that are removed, and come back as they were', async () => {
      const { handover, foreign } = await make();
      const id = instanceID(foreign);
      const tags = handover.karpenterTags({
        nodeClaim: 'general-x',
        nodePool: 'general',
        nodeClass: 'default',
      });
      expect([...tags.keys()].sort()).toEqual([...handover.karpenterTagKeys].sort());
      const seen = async () => {
        const [instance] = await handover.instances([foreign]);
        return [...tags.keys()].filter((key) => instance?.tags.get(key) === tags.get(key)).length;
      };
      await handover.addTags(id, tags);
      expect(await seen()).toBe(tags.size);
      await handover.removeTags(id, [...tags.keys()]);
      expect(await seen()).toBe(0);
      await handover.addTags(id, tags);
      expect(await seen()).toBe(tags.size);
    });

    test('an instance that there is not cannot be tagged', async () => {
      const { handover, foreign } = await make();
      const gone = handover.addTags(`${instanceID(foreign).slice(0, -1)}0`, OWNED);
      await expect(gone).rejects.toMatchObject({ code: 'NotFound' });
    });
  });
}
