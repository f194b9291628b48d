/** What every actor of the world has: the API, time, chance, and a trace of what happened. */
import type { Clock } from '../../src/ports/clock.js';
import type { Chance } from './chance.js';
import type { ClusterApi } from './cluster-api.js';
import type { ClusterView } from './cluster-view.js';
import type { EventLog } from './events.js';
import type { Trace } from './trace.js';

export interface ActorContext {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly view: ClusterView;
  readonly events: EventLog;
  readonly trace: Trace;
}

/** Acts until it is stopped. */
export interface Actor {
  start(): void;
  stop(): void;
}
