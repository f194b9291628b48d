/** What `--mode observe` finds: the nodes as they are beside those that Berth would have. */
import { gauge } from './metric-factory.js';

export const OBSERVATION_METRICS = {
  observedHourlyPrice: gauge(
    'berth_observed_hourly_price',
    'USD per hour of the observed nodes (fleet current), and of those that Berth would have (fleet berth), with --mode observe.',
    ['fleet'],
  ),
  observedNodes: gauge(
    'berth_observed_nodes',
    'Number of observed nodes (fleet current), and of those that Berth would have (fleet berth), with --mode observe.',
    ['fleet'],
  ),
};
