import fc from 'fast-check';
import { requirement } from '../../src/domain/values/requirement.js';
import { filter } from '../../src/planning/placement/filter.js';
import { preempt } from '../../src/planning/placement/preempt.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import type { NodeAccount } from '../../src/state/ledger/node-account.js';
import { PlacementAnswers } from '../../src/state/ledger/placement-answers.js';
import { RoomLedger } from '../../src/state/ledger/room-ledger.js';
import { nodeClaim } from '../support/builders/node-claim.js';
import { observedNode } from '../support/builders/observed-node.js';
import { observedPod } from '../support/builders/observed-pod.js';
import { scoresOf } from '../planning/placement/placement-arbitrary.js';
import { amounts } from '../support/builders/pod.js';
import { reservation, reservationEntry } from '../support/builders/reservation.js';
import { VirtualClock } from '../support/virtual-clock.js';

type News = (cluster: Cluster) => void;
/** What is told of one object, in the order in which the watch tells it. */
type Story = readonly News[];

const ONE_CORE = amounts({ cpu: '1', pods: '1' });
const AT_N1 = { required: [{ labels: new Map(), fields: new Map([pin('n1')]) }] };

function pin(node: string): [string, ReturnType<typeof requirement>] {
  return ['metadata.name', requirement('metadata.name', 'In', [node])];
}

function podStory(name: string, ...versions: readonly Parameters<typeof observedPod>[0][]): Story {
  return versions.map((version, index) => (cluster) => {
    const pod = { name, uid: name, requests: { cpu: '1' }, ...version };
    cluster.put('Pod', observedPod({ ...pod, resourceVersion: String(10 + index) }));
  });
}

function nodeStory(name: string, ...versions: readonly Parameters<typeof observedNode>[0][]): Story {
  const allocatable = { cpu: '3', memory: '32Gi', pods: '10' };
  return versions.map((version, index) => (cluster) => {
    const node = { name, providerID: `instance-${name}`, allocatable, ...version };
    cluster.put('Node', observedNode({ ...node, resourceVersion: String(10 + index) }));
  });
}

function claimStory(name: string, ...versions: readonly Parameters<typeof nodeClaim>[0][]): Story {
  return versions.map((version, index) => (cluster) => {
    cluster.put('NodeClaim', nodeClaim({ name, ...version, resourceVersion: String(10 + index) }));
  });
}

function reservationStory(kind: 'Node' | 'NodeClaim', name: string, ...versions: readonly string[][]): Story {
  return versions.map((uids, index) => (cluster) => {
    const entries = uids.map((podUID) => reservationEntry({ podUID, requests: ONE_CORE }));
    const resourceVersion = String(10 + index);
    cluster.put('Reservation', reservation({ target: { kind, name }, entries, resourceVersion }));
  });
}

const STORIES: readonly Story[] = [
  nodeStory('n1', { ready: false }, {}),
  nodeStory('n2', {}, { allocatable: { cpu: '4' } }),
  nodeStory('n3', {}),
  [
    ...nodeStory('gone', {}),
    (cluster) => {
      cluster.delete('Node', 'gone');
    },
  ],
  claimStory('c1', {}, { status: { providerID: 'instance-n1' } }),
  claimStory('c2', { status: { providerID: 'instance-n2', hourlyPrice: 0.1 } }),
  claimStory(
    'c3',
    { status: { providerID: 'instance-n3' } },
    { status: { providerID: 'instance-n3', disruption: { reason: 'Empty', decidedAt: 1 } } },
  ),
  claimStory('flying', {}),
  reservationStory('NodeClaim', 'c1', ['p1'], ['p1', 'p2']),
  reservationStory('Node', 'n2', ['p3', 'p4'], ['p4', 'p5']),
  reservationStory('NodeClaim', 'c3', ['p6']),
  reservationStory('NodeClaim', 'flying', ['p7']),
  podStory('p1', {}, { nodeName: 'n1' }),
  podStory('p2', {}),
  podStory('p4', {}, { nodeName: 'n2' }, { nodeName: 'n2', phase: 'Succeeded' }),
  [
    ...podStory('p5', {}),
    (cluster) => {
      cluster.delete('Pod', 'default/p5');
    },
  ],
  podStory('p7', {}),
  podStory('used', {}, { nodeName: 'n2' }),
  podStory('agent', { owner: { kind: 'DaemonSet', name: 'agent' }, nodeAffinity: AT_N1 }),
];

/** The stories told across each other, each in its order, with parts of them told again later. */
const telling: fc.Arbitrary<News[]> = fc
  .tuple(
    fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
    fc.array(fc.tuple(fc.nat({ max: STORIES.length - 1 }), fc.nat(), fc.nat()), { maxLength: 12 }),
  )
  .map(([choices, repeats]) => {
    const left = STORIES.map((story) => [...story]);
    const told: News[] = [];
    const pick = [...choices];
    for (let open = left; open.length > 0; open = open.filter((story) => story.length > 0)) {
      const next = open[(pick.pop() ?? 0) % open.length]?.shift();
      if (next !== undefined) told.push(next);
    }
    for (const [story, part, after] of repeats) {
      const parts = STORIES[story] ?? [];
      const news = parts[part % parts.length];
      const first = news === undefined ? 0 : told.indexOf(news) + 1;
      if (news !== undefined) told.splice(first + (after % (told.length - first + 1)), 0, news);
    }
    return told;
  });

/** What each of these pods is answered, one after the other, with nothing charged in between. */
function answers(cluster: Cluster, ledger: RoomLedger): unknown {
  const view = new PlacementAnswers({ cluster, ledger });
  const names = ['n1', 'n2', 'n3', 'gone'];
  const victims = new Map([['n2', { uids: ['used'], numPDBViolations: 0 }]]);
  const demandTerms = { schedulers: [], leastPriority: undefined };
  const options = { preemptWhileLaunching: false, demandTerms, planningMillis: 0, now: 0 };
  return ['p2', 'p3', 'p5', 'p6', 'p7', 'new-1', 'new-2', 'new-3'].map((uid) => {
    const cpu = uid.startsWith('new-') ? uid.slice(4) : '1';
    const pod = observedPod({ name: uid, uid, requests: { cpu } });
    const { nodeNames, refused, charge } = filter(view, pod, names);
    const allowed = [...preempt(view, pod, victims, options).keys()];
    return { uid, nodeNames, refused, charge, allowed, scores: scoresOf(view, pod, names, 0) };
  });
}

function accounts(cluster: Cluster, ledger: RoomLedger): readonly NodeAccount[] {
  return [...cluster.nodes.values()].flatMap(({ name }) => ledger.account(name) ?? []);
}

function bookOf(cluster: Cluster, ledger: RoomLedger): unknown {
  return accounts(cluster, ledger).map(({ name, guarded, fullness }) => ({ name, guarded, fullness }));
}

describe('the cluster in memory with its ledger', () => {
  test('answers the same in whatever order and however often objects are reported, from the start or from a list', () => {
    const settled = new Cluster();
    for (const news of STORIES.flat()) news(settled);
    const expected = answers(settled, new RoomLedger({ cluster: settled, clock: new VirtualClock() }));
    fc.assert(
      fc.property(telling, fc.nat(), (told, start) => {
        const cluster = new Cluster();
        const begin = start % (told.length + 1);
        for (const news of told.slice(0, begin)) news(cluster);
        const ledger = new RoomLedger({ cluster, clock: new VirtualClock() });
        for (const news of told.slice(begin)) news(cluster);
        expect(answers(cluster, ledger)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test('knows at every moment which nodes are leaving or have room held, and how full each is', () => {
    fc.assert(
      fc.property(telling, (told) => {
        const cluster = new Cluster();
        const ledger = new RoomLedger({ cluster, clock: new VirtualClock() });
        for (const news of told) {
          news(cluster);
          const fresh = new RoomLedger({ cluster, clock: new VirtualClock() });
          expect(bookOf(cluster, ledger)).toEqual(bookOf(cluster, fresh));
          const restricted = accounts(cluster, ledger).filter(({ leaving, guarded }) => leaving || guarded);
          expect([...ledger.restricted].sort()).toEqual(restricted.map(({ name }) => name).sort());
          fresh.close();
        }
      }),
      { numRuns: 30 },
    );
  });
});
