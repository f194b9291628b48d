/** Users: Deployments follow the day, Jobs come and end, templates are rolled out, nodes are deleted by hand. */
import { job } from '../../../scenario/objects.js';
import type { Stage } from '../plan/stage.js';
import { deploymentManifest, drawRequests, replicasAt } from '../plan/workloads.js';
import type { Strand } from './strand.js';

const HOUR_MILLIS = 3_600_000;

export const DEMAND: readonly Strand[] = [
  { hourly: 7, happen: scaleOne },
  { hourly: 1, happen: scaleAll },
  { hourly: 1.5, happen: runJob },
  { hourly: 0.25, happen: rollOut },
  { hourly: 0.1, happen: deleteNode },
  { hourly: 0.06, happen: deleteClaim },
];

/** Hours of the day (UTC), with a fraction. */
export function hourAt(millis: number): number {
  return (millis % (24 * HOUR_MILLIS)) / HOUR_MILLIS;
}

async function scaleOne(stage: Stage): Promise<void> {
  const terms = stage.pick(stage.deployments);
  if (terms === undefined) return;
  const noise = 0.7 + 0.6 * stage.draw.next();
  await stage.scale(terms.name, replicasAt(terms, hourAt(stage.now), noise));
}

async function scaleAll(stage: Stage): Promise<void> {
  for (const terms of stage.deployments) {
    const noise = 0.9 + 0.2 * stage.draw.next();
    await stage.scale(terms.name, replicasAt(terms, hourAt(stage.now), noise));
  }
}

async function runJob(stage: Stage): Promise<void> {
  const { draw, world } = stage;
  const name = stage.nextName('job');
  const parallelism = draw.integer(1, 4);
  const seconds = draw.integer(60, 2400);
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const isProtected = draw.chance(0.4);
  stage.note(`Job ${name}: ${String(parallelism)} pods for ${String(seconds)} s`);
  const parts = { name, parallelism, seconds, requests: drawRequests(draw) };
  await world.apply([job({ ...parts, ...(isProtected && { annotations }) })]);
}

async function rollOut(stage: Stage): Promise<void> {
  const terms = stage.pick(stage.deployments);
  if (terms === undefined) return;
  const revision = stage.nextRevision(terms.name);
  const replicas = stage.replicasOf(terms.name) ?? replicasAt(terms, hourAt(stage.now), 1);
  stage.note(`Deployment ${terms.name}: roll-out of revision ${String(revision)}`);
  await stage.world.apply([deploymentManifest(terms, replicas, revision)]);
}

async function deleteNode(stage: Stage): Promise<void> {
  const node = stage.pick(await stage.world.nodes());
  if (node === undefined) return;
  stage.note(`user deletes Node ${node.name}`);
  await stage.world.remove({ kind: 'Node', name: node.name });
}

async function deleteClaim(stage: Stage): Promise<void> {
  const claim = stage.pick(await stage.world.claims());
  if (claim === undefined) return;
  stage.note(`user deletes NodeClaim ${claim.name}`);
  await stage.world.remove({ kind: 'NodeClaim', name: claim.name });
}
