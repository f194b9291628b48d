/** A watch that lags behind: what it tells arrives late, in order. */
import type { Clock } from '../../../src/ports/clock.js';
import type { ClusterFeed } from '../../../src/ports/cluster-feed.js';

/** A feed for a watch, which passes everything on after so long. */
export function lateFeed(feed: ClusterFeed, clock: Clock, lagMillis: number): ClusterFeed {
  const later = (tell: () => void): void => {
    clock.timer(lagMillis, tell);
  };
  return {
    put: (kind, object) => {
      later(() => {
        feed.put(kind, object);
      });
    },
    delete: (kind, key, uid) => {
      later(() => {
        feed.delete(kind, key, uid);
      });
    },
    synced: (kind) => {
      later(() => {
        feed.synced(kind);
      });
    },
  };
}
