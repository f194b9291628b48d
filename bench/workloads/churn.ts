/** What happens to a cluster's workloads for some hours, by a seed: Deployments are scaled, and Jobs come and end. */
import { Draw } from './draw.js';
import type { Purchase } from './pools.js';

/** A Deployment, or a Job with its pods. */
export interface ChurnWorkload {
  readonly name: string;
  readonly millicores: number;
  readonly mebibytes: number;
}

export interface ChurnEvent {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly workload: ChurnWorkload;
  /** How many of its pods are wanted from then on. */
  readonly replicas: number;
}

/** How the demand of a cluster goes up and down. */
export interface ChurnKind {
  readonly name: string;
  readonly hours: number;
  readonly purchase: Purchase;
  readonly deployments: number;
  readonly replicas: number;
  readonly events: (scene: Scene) => readonly ChurnEvent[];
}

interface Scene {
  readonly deployments: readonly ChurnWorkload[];
  readonly replicas: number;
  readonly seconds: number;
  readonly draw: Draw;
}

const HOUR = 3600;
const MILLICORES = [100, 250, 500, 1000, 2000];
const MEBIBYTES = [256, 512, 1024, 2048, 4096, 8192];
/** Everything begins with so many quiet seconds. */
const QUIET = 600;
const USUAL = { hours: 2, purchase: 'on-demand', deployments: 12, replicas: 10 } as const;

export const CHURN_KINDS: readonly ChurnKind[] = [
  { ...USUAL, name: 'noise', hours: 1, events: (scene) => noise(scene, 30) },
  { ...USUAL, name: 'jobs', events: (scene) => [...noise(scene, 300), ...jobs(scene)] },
  { ...USUAL, name: 'scale-down', events: scaleDown },
  { ...USUAL, name: 'daily', hours: 6, events: daily },
  {
    ...{ name: 'few-spot', hours: 3, purchase: 'spot', deployments: 6, replicas: 4 },
    events: (scene) => noise(scene, 90),
  },
];

/** The events of a kind in their order. */
export function churnEvents(kind: ChurnKind, seed: number): readonly ChurnEvent[] {
  const draw = new Draw(seed);
  const deployments = Array.from({ length: kind.deployments }, (_, index) =>
    workload(`d${String(index)}`, draw),
  );
  const start = deployments.map((each) => ({ at: 0, workload: each, replicas: kind.replicas }));
  const scene: Scene = { deployments, replicas: kind.replicas, seconds: kind.hours * HOUR, draw };
  return [...start, ...kind.events(scene)].sort((left, right) => left.at - right.at);
}

function workload(name: string, draw: Draw): ChurnWorkload {
  return { name, millicores: draw.oneOf(MILLICORES), mebibytes: draw.oneOf(MEBIBYTES) };
}

/** Replicas around a mean, as an autoscaler's are while load neither rises nor falls. */
function noise({ deployments, replicas, seconds, draw }: Scene, pause: number): readonly ChurnEvent[] {
  const events: ChurnEvent[] = [];
  for (let at = QUIET; at < seconds; at += pause) {
    const wanted = Math.round(replicas * (0.7 + 0.6 * draw.number()));
    events.push({ at, workload: draw.oneOf(deployments), replicas: wanted });
  }
  return events;
}

/** A day in six hours: at its ebb a third of the replicas are wanted. */
function daily({ deployments, replicas, seconds, draw }: Scene): readonly ChurnEvent[] {
  const events: ChurnEvent[] = [];
  for (let at = QUIET; at < seconds; at += 60) {
    const load = 2 / 3 + Math.cos((2 * Math.PI * at) / (6 * HOUR)) / 3;
    const wanted = Math.round(replicas * load * (0.9 + 0.2 * draw.number()));
    events.push({ at, workload: draw.oneOf(deployments), replicas: Math.max(1, wanted) });
  }
  return events;
}

/** Jobs of one to ten pods that run for five to thirty minutes, one of them a minute. */
function jobs({ seconds, draw }: Scene): readonly ChurnEvent[] {
  const events: ChurnEvent[] = [];
  for (let at = QUIET, number = 0; at < seconds; at += 60 * (0.5 + draw.number()), number++) {
    const job = workload(`j${String(number)}`, draw);
    const end = at + 300 + 1500 * draw.number();
    events.push({ at, workload: job, replicas: 1 + draw.below(10) }, { at: end, workload: job, replicas: 0 });
  }
  return events;
}

/** All are scaled to two fifths within a few minutes; then little happens. */
function scaleDown({ deployments, replicas, seconds, draw }: Scene): readonly ChurnEvent[] {
  const least = Math.floor(0.3 * replicas);
  const events: ChurnEvent[] = deployments.map((each, index) => ({
    ...{ at: 1800 + 10 * index, workload: each },
    replicas: Math.round(0.4 * replicas),
  }));
  for (let at = 2400; at < seconds; at += 300)
    events.push({ at, workload: draw.oneOf(deployments), replicas: least + draw.below(3) });
  return events;
}
