/** AwsCloud over the simulated AWS, on a clock that the test moves. */
import { AwsCloud } from '../../../../src/clouds/aws/adapter/index.js';
import type { AwsCloudOptions } from '../../../../src/clouds/aws/adapter/aws-cloud.js';
import type { AwsClients } from '../../../../src/clouds/aws/adapter/client/aws-clients.js';
import { Catalogue } from '../../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../../src/clouds/aws/catalogue/index.js';
import { UNREGISTERED_TAINT } from '../../../../src/domain/nodes/node-claim.js';
import {
  CLUSTER_TAG,
  LAUNCH_GROUP_TAG,
  type LaunchCall,
  type LaunchIntent,
} from '../../../../src/ports/cloud.js';
import type { PortError } from '../../../../src/ports/port-error.js';
import { AwsSimulator } from '../../../../world/aws/aws-simulator.js';
import type { AwsSimulatorOptions } from '../../../../world/aws/aws-simulator-options.js';
import { clientsOf } from '../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../support/builders/ec2-node-class.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { seededRandom } from '../../../../world/seeded-random.js';

export const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'];
const ALL = catalogueFor('eu-west-3');
const TYPES = ['m5.large', 'm6i.large', 'm7g.large', 'g4dn.xlarge'];
const CATALOGUE = new Catalogue({
  region: ALL.region,
  entries: ALL.entries.filter(({ facts }) => TYPES.includes(facts.name)),
});

export interface SimulatedWorld {
  readonly aws: AwsSimulator;
  readonly cloud: AwsCloud;
  readonly clients: AwsClients;
  readonly clock: VirtualClock;
}

export interface SimulatedWorldOptions {
  readonly simulator?: Partial<AwsSimulatorOptions>;
  readonly cloud?: Partial<AwsCloudOptions>;
}

export function simulatedWorld({ simulator, cloud }: SimulatedWorldOptions = {}): SimulatedWorld {
  const clock = new VirtualClock();
  const aws = new AwsSimulator({ clock, random: seededRandom(7), catalogue: CATALOGUE, ...simulator });
  const clients = clientsOf(aws, { clock });
  return {
    aws,
    clock,
    clients,
    cloud: new AwsCloud({
      clients,
      catalogue: () => CATALOGUE,
      clock,
      logger: recordingLogger().logger,
      cluster: { name: 'berth-demo' },
      clusterUID: () => 'cluster-1',
      ...cloud,
    }),
  };
}

/** What the promise comes to while seconds pass; a failure is an answer, too. */
export async function outcomeOf<T>(clock: VirtualClock, promise: Promise<T>): Promise<T | PortError> {
  const state = { isDone: false };
  const outcome = promise
    .catch((error: unknown) => error as PortError)
    .finally(() => {
      state.isDone = true;
    });
  for (let second = 0; second < 300; second++) {
    await clock.settle();
    if (state.isDone) break;
    await clock.advance(1000);
  }
  return outcome;
}

/** What a pool's claims ask for: an m5.large in each zone, with the taint of nodes that are not registered yet. */
export function launchIntent(overrides: Partial<LaunchIntent> = {}): LaunchIntent {
  return {
    nodeClass: ec2NodeClass(),
    capacityType: 'on-demand',
    offerings: offerings('m5.large', ...ZONES),
    size: 1,
    labels: new Map([['karpenter.sh/nodepool', 'general']]),
    taints: [UNREGISTERED_TAINT],
    ...overrides,
  };
}

export function offerings(instanceType: string, ...zones: readonly string[]): LaunchIntent['offerings'] {
  return zones.map((zone) => ({ instanceType, zone, price: 0.1 }));
}

export const TAGS = new Map([
  [CLUSTER_TAG, 'cluster-1'],
  [LAUNCH_GROUP_TAG, 'group-1'],
]);

/** The call for what is asked for, with a token of its own. */
export async function launchCall(
  cloud: AwsCloud,
  overrides: Partial<LaunchIntent> = {},
): Promise<LaunchCall> {
  const intent = launchIntent(overrides);
  const request = await cloud.prepareLaunch(intent);
  return { token: 'token-1', request, tags: TAGS, labels: intent.labels, taints: intent.taints };
}

/** The fields of each request with this action, as they were sent. */
export function sent(aws: AwsSimulator, action: string): readonly Readonly<Record<string, string>>[] {
  return aws.log.recent(action).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
}
