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

export interface HandoverLaw {
  /** The end of a sentence that begins with the adapter's name. */
  readonly behaviour: string;
  readonly expectOf: (subject: HandoverSubject) => Promise<void>;
}

export const HANDOVER_LAWS: readonly HandoverLaw[] = [
  { behaviour: 'finds an instance of another controller, and only it', expectOf: expectFound },
  { behaviour: 'makes it one of Berth by tags, and takes them away, also twice', expectOf: expectOwned },
  { behaviour: 'takes the tags of Karpenter away and gives them back', expectOf: expectKarpenters },
  { behaviour: 'does not tag an instance that there is not', expectOf: expectUnknown },
];

async function expectFound({ handover, foreign, cloud }: HandoverSubject): Promise<void> {
  const found = await handover.instances([foreign, `${foreign}0`]);
  expect(found.map(({ providerID, state }) => ({ providerID, state }))).toEqual([
    { providerID: foreign, state: 'running' },
  ]);
  expect(await cloud.instances(OURS)).toEqual([]);
}

async function expectOwned({ handover, foreign, cloud }: HandoverSubject): Promise<void> {
  const id = instanceID(foreign);
  for (let times = 0; times < 2; times++) await handover.addTags(id, OWNED);
  expect((await cloud.instances(OURS)).map(({ providerID }) => providerID)).toEqual([foreign]);
  const [seen] = await handover.instances([foreign]);
  expect(seen?.tags.get(NODECLAIM_TAG)).toBe('general-1');
  for (let times = 0; times < 2; times++) await handover.removeTags(id, BERTH_TAG_KEYS);
  expect(await cloud.instances(OURS)).toEqual([]);
  expect((await handover.instances([foreign])).map(({ state }) => state)).toEqual(['running']);
}

async function expectKarpenters({ handover, foreign }: HandoverSubject): Promise<void> {
  const id = instanceID(foreign);
  const of = { nodeClaim: 'general-x', nodePool: 'general', nodeClass: 'default' };
  const tags = handover.karpenterTags(of);
  expect([...tags.keys()].sort()).toEqual([...handover.karpenterTagKeys].sort());
  const seen = async (): Promise<number> => {
    const [instance] = await handover.instances([foreign]);
    return [...tags].filter(([key, value]) => instance?.tags.get(key) === value).length;
  };
  await handover.addTags(id, tags);
  expect(await seen()).toBe(tags.size);
  await handover.removeTags(id, [...tags.keys()]);
  expect(await seen()).toBe(0);
  await handover.addTags(id, tags);
  expect(await seen()).toBe(tags.size);
}

async function expectUnknown({ handover, foreign }: HandoverSubject): Promise<void> {
  const gone = handover.addTags(`${instanceID(foreign).slice(0, -1)}0`, OWNED);
  await expect(gone).rejects.toMatchObject({ code: 'NotFound' });
}
