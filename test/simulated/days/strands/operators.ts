/** Operators: policies change in the day, and Berth and the API server are started again. */
import { drawBudgets, type PoolTerms } from '../plan/pools.js';
import type { Stage } from '../plan/stage.js';
import type { Strand } from './strand.js';

export const OPERATORS: readonly Strand[] = [
  { hourly: 0.12, happen: changeTemplate },
  { hourly: 0.08, happen: (stage) => stage.changeClass() },
  { hourly: 0.2, happen: changeLimit },
  { hourly: 0.15, happen: changeBudgets },
  { hourly: 0.08, happen: changeWeights },
  { hourly: 0.1, happen: restartBerth },
  { hourly: 0.15, happen: closeWatches },
];

const STOPPED = 'Berth does not run';

/** The nodes of the pool drift. */
async function changeTemplate(stage: Stage): Promise<void> {
  await change(stage, 'a new template', ({ generation }) => ({ generation: generation + 1 }));
}

async function changeLimit(stage: Stage): Promise<void> {
  const factor = stage.draw.oneOf([0.5, 0.75, 1.5, 2]);
  await change(stage, 'another limit', ({ cpuLimit }) => ({
    cpuLimit: cpuLimit && Math.min(160, Math.max(16, Math.round(cpuLimit * factor))),
  }));
}

async function changeBudgets(stage: Stage): Promise<void> {
  await change(stage, 'other budgets', () => ({ budgets: drawBudgets(stage.draw) }));
}

async function changeWeights(stage: Stage): Promise<void> {
  await change(stage, 'another weight', () => ({ weight: stage.draw.integer(1, 20) }));
}

async function change(
  stage: Stage,
  what: string,
  how: (terms: PoolTerms) => Partial<PoolTerms>,
): Promise<void> {
  const terms = stage.pick(stage.pools);
  if (terms === undefined) return;
  await stage.changePool({ ...terms, ...how(terms) }, what);
}

async function restartBerth(stage: Stage): Promise<void> {
  const { world } = stage;
  if (stage.troublesIn(stage.now, stage.now).some(({ what }) => what === STOPPED)) return;
  const millis = stage.draw.oneOf([1000, 20_000, 120_000]);
  stage.note(`Berth is stopped for ${String(millis / 1000)} s`);
  await world.stopBerth();
  stage.during(STOPPED, { minutes: millis / 60_000, of: 'berth' }, () => () => {
    world.startBerth();
  });
}

function closeWatches(stage: Stage): void {
  stage.note('the API server closes all watches');
  stage.world.api.closeWatches();
  if (stage.draw.chance(0.5)) stage.world.api.compact();
}
