/** Nodes that come late or not at all, and images: good ones, of which a node comes as usual, and bad ones, of which none gets Ready. */
import { USUAL_PLAN } from '../../../../world/kubelet/kubelet-plan.js';
import type { Stage } from '../plan/stage.js';
import type { Strand } from './strand.js';

export const BOOTS: readonly Strand[] = [
  { hourly: 0.2, happen: bootSlowly },
  { hourly: 0.12, happen: neverJoin },
  { hourly: 0.08, happen: neverReady },
  { hourly: 0.1, happen: publishImage },
  { hourly: 0.05, happen: publishBadImage },
];

function bootSlowly(stage: Stage): void {
  const seconds = stage.draw.integer(60, 300);
  const registerMillis = { from: seconds * 500, to: seconds * 1000 };
  boot(stage, `boots of up to ${String(seconds)} s`, { registerMillis });
}

function neverJoin(stage: Stage): void {
  const neverJoins = stage.draw.oneOf([0.1, 0.3, 0.6]);
  boot(stage, `${String(100 * neverJoins)} % of instances never register`, { neverJoins });
}

function neverReady(stage: Stage): void {
  const share = stage.draw.oneOf([0.1, 0.3]);
  boot(stage, `${String(100 * share)} % of nodes never get Ready`, { neverReady: share });
}

function boot(stage: Stage, what: string, plan: Partial<typeof USUAL_PLAN>): void {
  const { kubelets } = stage.world.actors;
  stage.during(what, { minutes: stage.draw.integer(10, 60), of: 'boots' }, () => {
    kubelets.plan = plan;
    return () => {
      kubelets.plan = USUAL_PLAN;
    };
  });
}

function publishImage(stage: Stage): void {
  stage.note('a new image is published');
  stage.world.aws.publishImage({ family: 'AL2023' });
}

/** Found out and replaced by a good one after a while. */
function publishBadImage(stage: Stage): void {
  const { aws } = stage.world;
  publishImage(stage);
  const { kubelets } = stage.world.actors;
  stage.during(
    'the new image is bad: no node gets Ready',
    { minutes: stage.draw.integer(15, 60), of: 'boots' },
    () => {
      kubelets.plan = { neverReady: 1 };
      return () => {
        kubelets.plan = USUAL_PLAN;
        aws.publishImage({ family: 'AL2023' });
      };
    },
  );
}
