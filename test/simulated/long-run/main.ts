/** Hours of a cluster in a process of its own: `SEED MINUTES`; prints what came of it as JSON. */
import { seededRandom } from '../../../world/seeded-random.js';
import { SimulatedWorld } from '../simulated-world.js';
import { Churn, type ChurnCounts } from './churn.js';

const MINUTE_MILLIS = 60_000;
/** So that the churn does not draw from the world's own chances. */
const CHURN_SEED = 1000;

export interface LongRun {
  readonly lines: number;
  readonly sha256: string;
  readonly counts: ChurnCounts;
  readonly launched: number;
  /** In the end: instances that run, claims, and pods without a node. */
  readonly end: { readonly instances: number; readonly claims: number; readonly pending: number };
  /** Of the processor. */
  readonly seconds: number;
}

async function longRun(seed: number, minutes: number): Promise<LongRun> {
  const world = await SimulatedWorld.start({ seed });
  const told = tellOn(world);
  const churn = new Churn(world, seededRandom(seed + CHURN_SEED));
  await churn.begin();
  await churn.go(minutes * MINUTE_MILLIS);
  await churn.end();
  const instances = world.instances().filter(({ state }) => state === 'pending' || state === 'running');
  const pods = await world.pods();
  const result = {
    lines: told.lines(),
    sha256: world.actors.trace.sha256(),
    counts: churn.counts,
    launched: told.launched(),
    end: {
      instances: instances.length,
      claims: (await world.claims()).length,
      pending: pods.filter(({ nodeName }) => nodeName === undefined).length,
    },
    seconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
  };
  await world.close();
  return result;
}

/** Adds to the trace what EC2 and Berth do. */
function tellOn({ actors: { trace }, api, aws }: SimulatedWorld): {
  lines(): number;
  launched(): number;
} {
  const instances = new Set<string>();
  aws.onInstance(({ id, state, instanceType, zone, capacityType }) => {
    instances.add(id);
    trace.add('ec2', `instance/${id}`, `${state} (${instanceType}, ${zone}, ${capacityType})`);
  });
  api.watch('decisions.berth.sh', ({ type, object }) => {
    if (type !== 'ADDED') return;
    const { subject, action, reason, message } = object['spec'] as DecisionSpec;
    trace.add('berth', `${subject.kind}/${subject.name}`, `${action} ${reason}: ${message}`);
  });
  return { lines: () => trace.lines.length, launched: () => instances.size };
}

interface DecisionSpec {
  readonly subject: { readonly kind: string; readonly name: string };
  readonly action: string;
  readonly reason: string;
  readonly message: string;
}

const [seed = '1', minutes = '360'] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await longRun(Number(seed), Number(minutes)))}\n`);
