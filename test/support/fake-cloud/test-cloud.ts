/** A fake cloud on a clock that the test moves. */
import { Catalogue } from '../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import type { LaunchCall, LaunchIntent } from '../../../src/ports/cloud.js';
import { FakeCloud, type FakeCloudOptions } from './fake-cloud.js';
import { VirtualClock } from '../virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';

export const TEST_ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'];
const ALL = catalogueFor('eu-west-3');
const CATALOGUE = new Catalogue({
  region: ALL.region,
  entries: ALL.entries.filter(({ facts }) => ['m5.large', 'm6i.large', 'm6a.large'].includes(facts.name)),
});

export interface TestCloud {
  readonly clock: VirtualClock;
  readonly cloud: FakeCloud;
}

export function testCloud(options: Partial<FakeCloudOptions> = {}): TestCloud {
  const clock = new VirtualClock();
  const cloud = new FakeCloud({ clock, random: seededRandom(3), catalogue: CATALOGUE, ...options });
  return { clock, cloud };
}

/** A call for instances of these offerings (`m5.large eu-west-3a`), with a token of its own. */
export function launchCall(
  offerings: readonly string[],
  overrides: Partial<LaunchCall> & {
    readonly size?: number;
    readonly capacityType?: LaunchIntent['capacityType'];
  } = {},
): LaunchCall {
  const { size = 1, capacityType = 'on-demand', ...call } = overrides;
  return {
    token: `${offerings.join()} ${String(size)} ${capacityType}`.replaceAll(/[^a-z0-9]/g, '').slice(0, 64),
    request: {
      capacityType,
      size,
      overrides: offerings.map((offering) => {
        const [instanceType = '', zone = ''] = offering.split(' ');
        return {
          instanceType,
          zone,
          price: 0.1,
          imageID: 'ami-1',
          launchTemplate: undefined,
          subnetID: undefined,
        };
      }),
    },
    tags: new Map([['berth.sh/cluster', 'cluster-1']]),
    labels: new Map(),
    taints: [],
    ...call,
  };
}
