/**
 * The page: what Berth does, as it happens, and why. It only reads.
 *
 * | path | answers |
 * |---|---|
 * | `GET /`, `/page.js`, … | the page's own files |
 * | `GET /api/events` | server-sent events: `snapshot` (as `/api/state`), `change` (boxes, pods and Decisions that are new or other; `goneBoxes`, `gonePods`, `goneDecisions`), `tick` (totals and costs, every two seconds: as much of `/api/state` as `time`, `synced`, `failures`, `now`, `cost`) |
 * | `GET /api/state` | `{time, version, synced, failures, now, cost, boxes, pods, decisions}`, failures (`{count, last: {at, text}}` of the last ten minutes) null when there are none; documents in page-documents.ts |
 * | `GET /api/timeline` | `{points: [{time, nodes, coming, pending, hourly}]}`, oldest first |
 * | `GET /api/observation` | `{observation}`, null where nothing is observed: what `--mode observe` found, as the status of PolicyStatus observation.cluster, without its actions |
 * | `GET /api/cost?by=namespace|nodepool|label&label=KEY` | `{rows: [{key, pods, hourly}], idle, total, unpriced}`, USD/h |
 * | `GET /api/stories/KIND/NAME`, `/api/stories/Pod/NAMESPACE/NAME` | the story (state/story) of a Pod, Node, NodeClaim, NodePool, EC2NodeClass, NodeOverlay, PodDefaults or Decision |
 *
 * Times are milliseconds since 1970 of the cluster's clock. Any other method is answered 405, a name that is not
 * loopback's on loopback 403, a stream too many 503.
 */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { isLabelKey } from '../../domain/values/labels.js';
import { OBSERVATION_NAME } from '../../domain/records/observation.js';
import { costBy, type CostGrouping } from '../../domain/nodes/cost-report.js';
import type { Clock } from '../../ports/clock.js';
import type { FailureMemory } from '../../runtime/concurrency/failure-memory.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { costNodes } from '../../state/nodes/cost-nodes.js';
import { storyKind, type StoryRef } from '../../state/story/story.js';
import { tellStory } from '../../state/story/tell-story.js';
import { Timeline } from '../../state/planning/timeline.js';
import type { Refusals } from '../http/refusals.js';
import { onlyLocalNames, onlyReading, securityHeaders } from './guard.js';
import { LivePage } from './live-page.js';
import { pageFiles, type PageFiles } from './page-files.js';

export interface DashboardOptions {
  readonly cluster: Cluster;
  /** The cluster's time. */
  readonly clock: Clock;
  /** The time of the viewers; by default the cluster's. */
  readonly pace?: Clock | undefined;
  /** What has failed in this process; without it the page shows no failures. */
  readonly failures?: Pick<FailureMemory, 'recent'> | undefined;
  readonly files: PageFiles;
  readonly version: string;
  /** Berth's own namespace, which has the pause annotation; undefined: none is shown. */
  readonly namespace?: string | undefined;
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
  /** Streams at once; 32. */
  readonly mostReaders?: number | undefined;
}

const MOST_READERS = 32;
/** What was observed before is not shown any more; it is written every ten minutes at least. */
const OBSERVED_MILLIS = 7_200_000;

export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #timeline: Timeline;
  readonly #live: LivePage;

  constructor(options: DashboardOptions) {
    const { cluster, clock, pace = clock, version, namespace, failures } = options;
    const { mostReaders = MOST_READERS } = options;
    this.#options = options;
    this.#timeline = new Timeline({ cluster, clock });
    this.#live = new LivePage({
      ...{ cluster, clock, pace, version, namespace, failures, mostReaders },
      timeline: this.#timeline,
    });
  }

  /** Keeps the history until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.#timeline.run(signal);
  }

  /** Ends the streams, so that the server can end. */
  close(): void {
    this.#live.close();
  }

  router(refusals: Refusals): Router {
    const router = Router();
    router.use(securityHeaders, onlyReading(refusals));
    if (this.#options.isLocal) router.use(onlyLocalNames(refusals));
    router.get('/api/state', async (_request, response) => {
      sendJson(response, await this.#live.state());
    });
    router.get('/api/timeline', (_request, response) => {
      sendJson(response, JSON.stringify({ points: this.#timeline.points() }));
    });
    router.get('/api/observation', (_request, response) => {
      sendJson(response, JSON.stringify({ observation: this.#observation() }));
    });
    router.get('/api/events', this.#stream(refusals));
    router.get('/api/cost', this.#cost(refusals));
    const story = this.#story(refusals);
    router.get('/api/stories/:kind/:name', story);
    router.get('/api/stories/:kind/:namespace/:name', story);
    router.get('/{*path}', pageFiles(this.#options.files));
    return router;
  }

  /** null, too, where Berth has stopped observing. */
  #observation(): unknown {
    const { cluster, clock } = this.#options;
    const found = cluster.observations.get(OBSERVATION_NAME);
    if (found === undefined || clock.now() - found.updatedAt > OBSERVED_MILLIS) return null;
    const { system, since, updatedAt, total, now, periods } = found;
    return { system, since, updatedAt, total, now, periods };
  }

  #stream(refusals: Refusals): RequestHandler {
    return ({ method }, response) => {
      if (method === 'HEAD') response.end();
      else if (this.#live.isFull)
        refusals.answer(
          response,
          'overload',
          `the limit of ${String(this.#live.readers)} open streams is reached`,
        );
      else this.#live.add(response);
    };
  }

  #cost(refusals: Refusals): RequestHandler {
    return (request, response) => {
      const grouping = groupingOf(request);
      if (typeof grouping === 'string') {
        refusals.answer(response, 'bad-request', grouping);
        return;
      }
      const { nodes, unpriced } = costNodes(this.#options.cluster);
      sendJson(response, JSON.stringify({ ...grouping, ...costBy(nodes, grouping), unpriced }));
    };
  }

  #story(refusals: Refusals): RequestHandler {
    return (request, response) => {
      const ref = refOf(request);
      const { cluster, clock } = this.#options;
      const story = ref && tellStory(cluster, ref, clock.now());
      if (story === undefined)
        refusals.answer(
          response,
          'not-found',
          `there is no ${request.path.slice('/api/stories/'.length, 300)}`,
        );
      else sendJson(response, JSON.stringify(story));
    };
  }
}

function sendJson(response: Response, text: string): void {
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', 'no-store');
  response.end(text);
}

function refOf({ params }: Request): StoryRef | undefined {
  const { kind, namespace = '', name } = params;
  const known = typeof kind === 'string' ? storyKind(kind) : undefined;
  if (known === undefined || typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  return (known === 'Pod') === (namespace !== '') ? { kind: known, namespace, name } : undefined;
}

/** The grouping, or the sentence that says what is wrong with it. */
function groupingOf({ query }: Request): CostGrouping | string {
  const { by = 'namespace', label } = query;
  if (by === 'namespace' || by === 'nodepool') return { by };
  if (by !== 'label') return `by is ${JSON.stringify(by)}; it must be namespace, nodepool or label`;
  if (typeof label === 'string' && isLabelKey(label)) return { by, label };
  return `label is ${JSON.stringify(label ?? '')}; it must be the key of a label, such as team`;
}
