/** Builds AWS clients that speak to a fake. */
import {
  awsClients,
  type AwsClients,
  type AwsClientsOptions,
} from '../../../src/clouds/aws/adapter/client/aws-clients.js';
import { inProcessHandler, type Exchange } from '../in-process-handler.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { VirtualClock } from '../virtual-clock.js';
import { recordingLogger } from '../recording-logger.js';
import { constantRandom } from '../constant-random.js';

/** Clients of eu-west-3 with a clock that stands still and chance that always halves. */
export function clientsOf(
  { handle }: { readonly handle: Exchange },
  overrides: Partial<AwsClientsOptions> = {},
): AwsClients {
  return awsClients({
    region: 'eu-west-3',
    requestHandler: inProcessHandler(handle),
    clock: new VirtualClock(),
    random: constantRandom(0),
    logger: recordingLogger().logger,
    metrics: createMetrics(),
    environment: {},
    ...overrides,
  });
}

/** What comes of calls, with time passing only while they wait for it, and not while an answer is under way. */
export async function settled<T>(clock: VirtualClock, calls: Promise<T>): Promise<T> {
  let rounds = 2_000;
  const finish = (): void => {
    rounds = 0;
  };
  calls.then(finish, finish);
  for (; rounds > 0; rounds--) {
    for (let turn = 0; turn < 10; turn++) await clock.settle();
    if (rounds > 0) await clock.advance(500);
  }
  return calls;
}
