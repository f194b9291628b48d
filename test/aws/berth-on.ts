/** Berth's way to AWS, as the program builds it, over HTTP and in real time. */
import { awsClients, AwsCloud } from '../../src/clouds/aws/adapter/index.js';
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import { createMetrics, type Metrics } from '../../src/runtime/metrics/metrics.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { recordingLogger, type LogLine } from '../support/recording-logger.js';
import { constantRandom } from '../support/constant-random.js';
import { CLUSTER, REGION } from './moto-account.js';

export interface BerthOnAws {
  readonly clients: ReturnType<typeof awsClients>;
  /** A new one is what Berth has after a restart. */
  readonly cloud: (clusterName?: string) => AwsCloud;
  readonly metrics: Metrics;
  readonly logger: ReturnType<typeof recordingLogger>['logger'];
  readonly lines: readonly LogLine[];
}

/** @param url where all services are */
export function berthOn(url: string, metrics = createMetrics()): BerthOnAws {
  const { logger, lines } = recordingLogger();
  const clients = awsClients({
    region: REGION,
    endpoint: url,
    clock: systemClock,
    // Pauses are as short as they may be.
    random: constantRandom(0),
    logger,
    metrics,
    environment: {},
  });
  const catalogue = catalogueFor(REGION);
  const cloud = (name = CLUSTER): AwsCloud =>
    new AwsCloud({
      clients,
      catalogue: () => catalogue,
      clock: systemClock,
      logger,
      cluster: { name },
      clusterUID: () => 'cluster-1',
    });
  return { clients, cloud, metrics, logger, lines };
}
