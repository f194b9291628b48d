/** Planning's answer to "does this pod fit on this node" against the real kube-scheduler's, over random clusters. */
import { startControlPlane, type ControlPlane } from '../fixture/control-plane.js';
import { RecordingExtender } from '../fixture/recording-extender.js';
import { chosenMinor } from '../fixture/process/server-binary.js';
import { LiveCluster } from '../feasibility/live-cluster.js';
import { kindsOf } from '../feasibility/random-pods.js';
import { writeFeasibilityReport } from '../feasibility/report.js';
import { judgeRound, type RoundResult } from '../feasibility/round.js';
import { Tally } from '../feasibility/tally.js';
import { askingScheduler } from '../feasibility/their-verdicts.js';

const MINOR = Number(chosenMinor().split('.')[1]);
const FULL = MINOR >= 36 ? 5000 : 1000;
const PODS = Number(process.env['FEASIBILITY_PODS'] ?? FULL);
/** Some clusters more when chance left some kind short. */
const MOST = Math.ceil(PODS * 1.4);
const SEED = Number(process.env['FEASIBILITY_SEED'] ?? 1);
/** Ten clusters for 5,000 pods, four for 1,000. */
const PODS_PER_ROUND = Math.max(250, Math.ceil(PODS / 10));
/**
 * How often each kind is to refuse, and pods that have it are to fit: so many pods, and so many pods on nodes. A run shorter
 * than 1,000 pods is for looking at differences.
 */
const LEAST = {
  pods: leastOf([5000, 200], [1000, 25]),
  verdicts: leastOf([1000, 200]),
};

/** The first figure whose number of pods this run has; 0 when it has fewer. */
function leastOf(...steps: readonly (readonly [pods: number, least: number])[]): number {
  return steps.find(([pods]) => PODS >= pods)?.[1] ?? 0;
}

describe('planning and kube-scheduler', () => {
  let cluster: ControlPlane;
  let extender: RecordingExtender;

  beforeAll(async () => {
    extender = await RecordingExtender.start();
    cluster = await startControlPlane({
      // Nothing but the tests changes the cluster, and nothing waits for a controller.
      controllers: [],
      flags: {
        'kube-apiserver': [
          '--disable-admission-plugins=TaintNodesByCondition,StorageObjectInUseProtection',
          '--delete-collection-workers=16',
        ],
      },
      schedulerConfiguration: askingScheduler(extender),
    });
    await new LiveCluster(cluster.api).prepare();
  });

  afterAll(async () => {
    await cluster.stop();
    await extender.stop();
  });

  test(
    'let the same pods onto the same nodes, and refuse the others for the same reasons',
    async () => {
      const kinds = kindsOf(MINOR);
      const tally = new Tally(kinds);
      const rounds: RoundResult[] = [];
      let judged = 0;
      while (judged < PODS || (judged < MOST && tally.below(LEAST).length > 0)) {
        const seed = SEED * 1000 + rounds.length;
        // From 70 to 86 nodes.
        const nodes = 70 + ((rounds.length * 7) % 17);
        const pods = Math.min(PODS_PER_ROUND, MOST - judged);
        rounds.push(await judgeRound({ cluster, extender, seed, kinds, tally, nodes, pods }));
        judged += pods;
      }
      const found = rounds.flatMap((round) => round.found);
      const report = writeFeasibilityReport({
        kubernetes: cluster.version,
        seed: SEED,
        pods: judged,
        rounds,
        perKind: tally.perKind,
        isFull: PODS >= FULL,
      });
      process.stdout.write(`${tally.table()}${report}\n`);
      for (const difference of found.slice(0, 5)) process.stdout.write(`${JSON.stringify(difference)}\n`);
      expect(rounds.flatMap(({ findings }) => findings)).toEqual([]);
      expect(found.map(({ kind, ours, theirs }) => ({ kind, ours, theirs }))).toEqual([]);
      expect(tally.below(LEAST)).toEqual([]);
    },
    15 * 60_000,
  );
});
