/**
 * Bursts under pressure land where they were planned, too. BERTH_BURST_PODS is the size of a burst (60), BERTH_BURST_THIEVES
 * how many pods come beside it (half as many), and BERTH_BURST_KILLS how often Berth is killed in one (1).
 */
import process from 'node:process';
import { MOST_ATTEMPTS } from '../../berth/until-asked.js';
import { measureAsked, measureFidelity, type FidelityRow } from '../../fidelity/measure.js';
import {
  preemption,
  priorities,
  rollOut,
  tainting,
  thieves,
  twoSchedulers,
} from '../../fidelity/pressure.js';
import { writeFidelity } from '../../fidelity/report.js';
import { tenSizes, type Workload } from '../../fidelity/workload.js';

const PODS = Number(process.env['BERTH_BURST_PODS'] ?? 60);
const THIEVES = Number(process.env['BERTH_BURST_THIEVES'] ?? PODS / 2);
/** How often Berth is killed in the middle of a burst. */
const KILLS = Number(process.env['BERTH_BURST_KILLS'] ?? 1);
/** Of ten pods in a hundred thousand none may land elsewhere; of a thousand, one. */
const MOST_ELSEWHERE = PODS / 1000;
/** More than batches, launches and 1,000 pods take on two busy processors. */
const WITHIN_SECONDS = 120 + 0.6 * PODS;
const TEST_MILLIS = MOST_ATTEMPTS * (WITHIN_SECONDS + 180) * 1000;

describe('a burst in an empty cluster', () => {
  const rows: FidelityRow[] = [];
  const measured = async (workload: Workload, measure = measureAsked): Promise<FidelityRow> => {
    const row = await measure({ withinSeconds: WITHIN_SECONDS, ...workload });
    rows.push(row);
    return row;
  };

  afterAll(() => {
    writeFidelity(rows);
    process.stderr.write(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  });

  test.each([
    ['of mixed pods', tenSizes('mixed', PODS), 0],
    // Thieves are planned, too, and some of them again, when a place is gone by the time that they are tried.
    ['with thieves that come as nodes come up', thieves(PODS, THIEVES), THIEVES],
    ['of twenty priorities', priorities(PODS), 0],
    ['with thieves, on held nodes', tainting(thieves(PODS, THIEVES)), THIEVES],
  ])(
    '%s lands where it was planned, with no node empty and none bought twice',
    async (_, workload, mostSecondLaunches) => {
      const row = await measured(workload);
      expect(row).toMatchObject({ pods: workload.pods, nodesBornEmpty: 0 });
      expect(row.secondLaunches).toBeLessThanOrEqual(mostSecondLaunches);
      expect(workload.pods - row.boundWherePlanned).toBeLessThanOrEqual(MOST_ELSEWHERE);
    },
    TEST_MILLIS,
  );

  test(
    'with a roll-out in the middle has no planned pod elsewhere, and nothing bought twice',
    async () => {
      const row = await measured(rollOut(PODS));
      expect(row).toMatchObject({ secondLaunches: 0 });
      expect(row.boundElsewhere).toBeLessThanOrEqual(MOST_ELSEWHERE);
    },
    TEST_MILLIS,
  );

  test(
    'beside the pods of another scheduler has a place for each pod after a minute',
    async () => {
      expect(await measured(twoSchedulers(PODS, THIEVES))).toMatchObject({ unboundAfterMinute: 0 });
    },
    TEST_MILLIS,
  );

  test.each([0, KILLS])(
    'on held nodes lands where it was planned beside another scheduler, with Berth killed %i times',
    async (kills) => {
      // Nobody answers kube-scheduler while Berth is killed.
      const measure = kills > 0 ? measureFidelity : measureAsked;
      const row = await measured(twoSchedulers(PODS, THIEVES, { isTainting: true, kills }), measure);
      expect(row).toMatchObject({ unboundAfterMinute: 0, boundElsewhere: 0, boundAfterReplan: 0 });
    },
    TEST_MILLIS,
  );

  test(
    'of more important pods at the limit of a pool takes the room of others within seconds',
    async () => {
      const row = await measured(preemption(10));
      // The batch window of 1 s, and two seconds; a quarter of a minute at most.
      expect(row.createdToBoundP50Seconds).toBeLessThanOrEqual(3);
      expect(row.createdToBoundP99Seconds).toBeLessThanOrEqual(15);
    },
    TEST_MILLIS,
  );
});
