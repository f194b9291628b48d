/**
 * The page: what Berth does, as it happens, and why. It only reads.
 *
 * | path | answers |
 * |---|---|
 * | `GET /`, `/page.js`, … | the page's own files |
 * | `GET /api/events` | server-sent events: `snapshot` (as `/api/state`), `change` (boxes, pods and Decisions that are new or other; `goneBoxes`, `gonePods`, `goneDecisions`), `tick` (totals and costs, every two seconds: as much of `/api/state` as `time`, `synced`, `failures`, `now`, `cost`) |
 * | `GET /api/state` | `{time, version, synced, failures, now, cost, boxes, pods, decisions}`, failures (`{count, last: {at, text}}` of the last ten minutes) null when there are none; documents in page-documents.ts |
 * | `GET /api/timeline` | `{points: [{time, nodes, coming, pending, hourly}]}`, oldest first |
 * | `GET /api/cost?by=namespace|nodepool|label&label=KEY` | `{rows: [{key, pods, hourly}], idle, total, unpriced}`, USD/h |
 * | `GET /api/stories/KIND/NAME`, `/api/stories/Pod/NAMESPACE/NAME` | the story (state/story) of a Pod, Node, NodeClaim, NodePool, EC2NodeClass, NodeOverlay, PodDefaults or Decision |
 *
 * Times are milliseconds since 1970 of the cluster's clock. Any other method is answered 405, a name that is not
 * loopback's on loopback 403, a stream too many 503.
 */
export { Dashboard } from './dashboard.js';
export type { PageFiles } from './page-files.js';
