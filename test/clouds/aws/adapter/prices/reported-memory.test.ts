/** What is counted of later nodes, by what earlier ones reported. */
import { ReportedMemory } from '../../../../../src/clouds/aws/adapter/prices/reported-memory.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { recordingLogger } from '../../../../support/recording-logger.js';

const MI = 2 ** 20;
const DAY = 86_400_000;

function setUp() {
  const clock = new VirtualClock();
  const memory = new ReportedMemory({ clock, logger: recordingLogger().logger });
  memory.launchWith('default', ['ami-new', 'ami-arm']);
  const hear = (mebibytes: number, { instanceType = 'm5.large', imageID = 'ami-new' } = {}): void => {
    memory.hear({ instanceType, imageID, bytes: mebibytes * MI });
  };
  const of = (nodeClass = 'default'): Readonly<Record<string, number>> =>
    Object.fromEntries([...memory.of(nodeClass)].map(([type, bytes]) => [type, bytes / MI]));
  return { clock, memory, hear, of };
}

describe('ReportedMemory', () => {
  test('has nothing before a node reported, nor for a node class that is not known', () => {
    const { hear, of } = setUp();
    expect(of()).toEqual({});
    hear(7600);
    expect(of('other')).toEqual({});
  });

  test('the least that a node of the type reported counts, whichever came first', () => {
    const { hear, of } = setUp();
    for (const mebibytes of [7600, 7590, 7610]) hear(mebibytes);
    hear(3700, { instanceType: 'm6g.medium', imageID: 'ami-arm' });
    expect(of()).toEqual({ 'm5.large': 7590, 'm6g.medium': 3700 });
  });

  test('counts whole MiB, so that a few KiB are no news', () => {
    const { memory, hear, of } = setUp();
    hear(7590.9);
    const before = memory.of('default');
    hear(7590.1);
    expect(of()).toEqual({ 'm5.large': 7590 });
    expect(memory.of('default')).toBe(before);
  });

  test('reports of other images do not count, and a new image has none yet', () => {
    const { memory, hear, of } = setUp();
    hear(7000, { imageID: 'ami-old' });
    expect(of()).toEqual({});
    hear(7600);
    memory.launchWith('default', ['ami-newest']);
    expect(of()).toEqual({});
    memory.launchWith('default', ['ami-old']);
    expect(of()).toEqual({ 'm5.large': 7000 });
  });

  test('a report is forgotten 60 days after the last node that had no more', () => {
    const { clock, hear, of } = setUp();
    hear(7590);
    clock.freeze(59 * DAY);
    hear(7600);
    expect(of()).toEqual({ 'm5.large': 7590 });
    hear(7590);
    clock.freeze(59 * DAY);
    expect(of()).toEqual({ 'm5.large': 7590 });
    clock.freeze(2 * DAY);
    expect(of()).toEqual({});
    hear(7600);
    expect(of()).toEqual({ 'm5.large': 7600 });
  });

  test('is the same map for node classes with the same images, and while nothing else is known', () => {
    const { clock, memory, hear } = setUp();
    memory.launchWith('other', ['ami-new', 'ami-arm']);
    hear(7590);
    const before = memory.of('default');
    clock.freeze(2 * DAY);
    hear(7700);
    expect(memory.of('other')).toBe(before);
    hear(7000);
    expect(memory.of('default')).not.toBe(before);
  });
});
