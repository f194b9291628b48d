/** Facts of Karpenter's behaviour, on the real Karpenter and on Berth: what is seen of each is what the fact says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import type { ControlPlane } from '../controlplane/fixture/control-plane.js';
import { writeReport } from '../controlplane/fidelity/report.js';
import { headCommit } from '../support/head-commit.js';
import { FAMILIES, LIVE_FACTS, OTHERS } from './facts/index.js';
import { startBerth } from './fixture/berth.js';
import { startKarpenter } from './fixture/karpenter.js';
import { builds, startLiveCluster } from './fixture/live-cluster.js';
import type { System } from './fixture/system.js';
import type { LiveFact } from './live-fact.js';
import { playAll, type Played, type Scene } from './play.js';
import { writeInstanceTypes } from './stage/instance-types.js';

/** A part of the names of facts; all are played where it is empty. */
const wanted = new RegExp(process.env['FACTS'] ?? '');
const isWanted = ({ suite, fact }: LiveFact): boolean => wanted.test(`${suite}: ${fact}`);
const facts = LIVE_FACTS.filter(isWanted);
/** `karpenter` or `berth`; both where it is empty. */
const only = process.env['SYSTEM'] ?? '';
/** The same for both. */
const SETTINGS = {
  FEATURE_GATES:
    'NodeRepair=true,StaticCapacity=true,CapacityBuffer=true,SpotToSpotConsolidation=false,PodDeletionCostManagement=false',
};

const built = builds();
const folder = mkdtempSync(join(tmpdir(), 'berth-live-'));
const instanceTypes = join(folder, 'instance-types.json');
writeInstanceTypes(instanceTypes);

type Start = (cluster: ControlPlane) => Promise<System>;
const SYSTEMS: readonly (readonly [System['name'], Start])[] = [
  [
    'karpenter',
    (cluster) => startKarpenter(cluster, built, instanceTypes, { ...SETTINGS, LOG_LEVEL: 'debug' }),
  ],
  ['berth', (cluster) => startBerth(cluster, instanceTypes, headCommit() ?? 'unknown', SETTINGS)],
];
const played = new Map<System['name'], ReadonlyMap<LiveFact, Played>>();

interface Row {
  readonly fact: string;
  readonly family: string;
  /** What was seen of each; undefined where it did not run. */
  readonly karpenter: unknown;
  readonly berth: unknown;
  readonly same: boolean;
  /** How long each took, from the first NodePool to what was seen. */
  readonly seconds: { readonly karpenter: number | undefined; readonly berth: number | undefined };
}

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  const rows = facts.map((fact): Row => {
    const [karpenter, berth] = SYSTEMS.map(([name]) => played.get(name)?.get(fact));
    return {
      fact: fact.fact,
      family: fact.suite,
      karpenter: karpenter?.seen,
      berth: berth?.seen,
      same: isDeepStrictEqual(karpenter?.seen, berth?.seen),
      seconds: { karpenter: karpenter?.seconds, berth: berth?.seconds },
    };
  });
  writeReport('behaviour-live', 'make behaviour-live', { rows });
  process.stderr.write(table(rows));
});

/** A line for each fact; the seconds are Karpenter's and Berth's. */
function table(rows: readonly Row[]): string {
  const lines = rows.map(({ fact, family, same, seconds, karpenter, berth }) => {
    const times = [seconds.karpenter, seconds.berth].map((each) => String(each ?? '-').padStart(4)).join('');
    const seen = same ? '' : `: ${JSON.stringify(karpenter)} and ${JSON.stringify(berth)}`;
    return `${same ? 'same   ' : 'differs'}${times}  ${family}: ${fact}${seen}`;
  });
  const same = rows.filter((row) => row.same).length;
  return [...lines, `${String(same)} of ${String(rows.length)} are the same`, ''].join('\n');
}

describe.each(SYSTEMS.filter(([name]) => only === '' || name === only))('%s', (name, start) => {
  beforeAll(async () => {
    const startScene = async (): Promise<Scene> => {
      const cluster = await startLiveCluster(built);
      const system = await start(cluster);
      const stop = async (): Promise<void> => {
        await system.stop();
        await cluster.stop();
      };
      return { cluster, system, stop };
    };
    const families = FAMILIES.map((family) => family.filter(isWanted));
    played.set(name, await playAll(families, OTHERS.filter(isWanted), startScene));
  }, 1_800_000);

  test.each(facts.map((fact) => [fact.suite, fact.fact, fact] as const))('%s: %s', (_suite, _name, fact) => {
    const expected = name === 'berth' && 'berth' in fact ? fact.berth : fact.seen;
    expect(played.get(name)?.get(fact)?.seen).toEqual(expected);
  });
});
