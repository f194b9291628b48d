import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import type { NodeClass } from '../../../src/domain/policies/node-class.js';
import { acceptedPolicy } from '../../support/builders/policy-status.js';
import { nodeClassDocument } from '../../support/builders/policy-document.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { RESOLVED, SmallCloud } from '../../support/small-cloud.js';

const FOREVER = new AbortController().signal;

function source(role = 'nodes'): NodeClass {
  const { value } = acceptedPolicy(nodeClassDocument('default', { role }));
  if (value === undefined || !('nodeClass' in value)) throw new Error('the document is not valid');
  return value.nodeClass;
}

function resolving() {
  const clock = new VirtualClock();
  const cloud = new SmallCloud();
  return { clock, cloud, resolved: new ResolvedNodeClasses({ cloud, clock }) };
}

describe('ResolvedNodeClasses', () => {
  test('the cloud is asked once a minute for each document', async () => {
    const { clock, cloud, resolved } = resolving();
    for (let second = 0; second < 59; second++) {
      expect(await resolved.resolve(source(), FOREVER)).toBe(RESOLVED);
      await clock.advance(1000);
    }
    expect(cloud.asked).toHaveLength(1);
    await clock.advance(1000);
    await resolved.resolve(source(), FOREVER);
    expect(cloud.asked).toHaveLength(2);
  });

  test('a document that changes is asked for at once', async () => {
    const { cloud, resolved } = resolving();
    await resolved.resolve(source(), FOREVER);
    await resolved.resolve(source('others'), FOREVER);
    expect(cloud.asked).toHaveLength(2);
  });

  test('a class that amounts to something else is told of once', async () => {
    const { clock, cloud, resolved } = resolving();
    const told: string[] = [];
    const forget = resolved.onChange((name) => told.push(name));
    const minute = async (answer: typeof cloud.answer): Promise<void> => {
      cloud.answer = answer;
      await resolved.resolve(source(), FOREVER);
      await clock.advance(60_000);
    };
    await minute(RESOLVED);
    await minute({ ...RESOLVED });
    expect(told).toEqual([]);
    await minute({ ...RESOLVED, imageIDs: ['ami-newer'] });
    await minute({ ...RESOLVED, imageIDs: ['ami-newer'] });
    expect(told).toEqual(['default']);
    forget();
    await minute(RESOLVED);
    expect(told).toEqual(['default']);
  });

  test('while the cloud fails, the last answer for the same document stays', async () => {
    const { clock, cloud, resolved } = resolving();
    await resolved.resolve(source(), FOREVER);
    cloud.answer = new Error('the cloud is away');
    await clock.advance(120_000);
    expect(await resolved.resolve(source(), FOREVER)).toBe(RESOLVED);
    await expect(resolved.resolve(source('others'), FOREVER)).rejects.toThrow('the cloud is away');
  });

  test('a cloud that never answers is given up after fifteen seconds', async () => {
    const clock = new VirtualClock();
    const silent = { resolveNodeClass: () => new Promise<never>(() => undefined) };
    const answer = new ResolvedNodeClasses({ cloud: silent, clock }).resolve(source(), FOREVER);
    const [outcome] = await Promise.allSettled([answer, clock.advance(15_000)]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TimedOut' } });
  });
});
