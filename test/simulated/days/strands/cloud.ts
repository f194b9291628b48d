/** EC2: instances are taken back or fail, types and zones are out of stock, calls are throttled. */
import { zonesOf } from '../../../../world/aws/ec2/network/zone.js';
import type { Stage } from '../plan/stage.js';
import type { Strand } from './strand.js';

const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;

export const CLOUD: readonly Strand[] = [
  { hourly: 1, happen: interruptOne },
  { hourly: 0.1, happen: interruptThree },
  { hourly: 0.4, happen: rebalance },
  { hourly: 0.05, happen: scheduleChange },
  { hourly: 0.08, happen: terminate },
  { hourly: 0.05, happen: stop },
  { hourly: 0.12, happen: fallSilent },
  { hourly: 0.35, happen: typeRunsDry },
  { hourly: 0.1, happen: spotRunsDry },
  { hourly: 0.06, happen: zoneFails },
  { hourly: 0.06, happen: zonalShift },
  { hourly: 0.15, happen: throttle },
];

function interruptOne(stage: Stage): void {
  interrupt(stage, 1);
}

function interruptThree(stage: Stage): void {
  interrupt(stage, 3);
}

function interrupt(stage: Stage, most: number): void {
  for (let count = 0; count < most; count++) {
    const instance = stage.pick(
      running(stage).filter(({ id, capacityType }) => capacityType === 'spot' && !stage.taken.has(id)),
    );
    if (instance === undefined) return;
    stage.interrupt(instance);
  }
}

function rebalance(stage: Stage): void {
  const instance = stage.pick(running(stage).filter(({ capacityType }) => capacityType === 'spot'));
  if (instance === undefined) return;
  stage.note(`rebalance recommendation for ${instance.id} (${instance.privateDnsName})`);
  stage.world.aws.rebalance(instance.id);
}

function scheduleChange(stage: Stage): void {
  const instance = stage.pick(running(stage));
  if (instance === undefined) return;
  stage.note(`retirement of ${instance.id} (${instance.privateDnsName}) is scheduled`);
  stage.world.aws.scheduleChange(instance.id);
}

function terminate(stage: Stage): void {
  const instance = stage.pick(running(stage));
  if (instance === undefined) return;
  stage.take(instance.id, `a user terminates ${instance.id} (${instance.privateDnsName})`);
  stage.world.aws.terminate(instance.id);
}

function stop(stage: Stage): void {
  const instance = stage.pick(running(stage));
  if (instance === undefined) return;
  stage.take(instance.id, `${instance.id} (${instance.privateDnsName}) is stopped by EC2`);
  stage.world.aws.stop(instance.id);
}

function fallSilent(stage: Stage): void {
  const instance = stage.pick(running(stage));
  if (instance === undefined) return;
  const { kubelets } = stage.world.actors;
  const minutes = stage.draw.integer(2, 70);
  const name = instance.privateDnsName;
  const kubelet = known(() => kubelets.of(name));
  if (kubelet === undefined) return;
  stage.during(`silence of the kubelet of ${name}`, { minutes }, () => {
    kubelet.silence();
    return () => known(() => kubelets.of(name))?.resume();
  });
}

function typeRunsDry(stage: Stage): void {
  const types = stage.world.catalogue.entries.map(({ facts }) => facts.name);
  const instanceType = stage.pick(types) ?? '';
  runDry(stage, `no capacity of ${instanceType}`, [{ instanceType }]);
}

function spotRunsDry(stage: Stage): void {
  const zone = stage.pick(ZONES) ?? '';
  runDry(stage, `no spot capacity in ${zone}`, [{ zone, capacityType: 'spot' }]);
}

function zoneFails(stage: Stage): void {
  const zone = stage.pick(ZONES) ?? '';
  runDry(stage, `no capacity at all in ${zone}`, [{ zone }]);
}

/** An operator shifts the cluster away from a zone, in which nothing can be launched. */
function zonalShift(stage: Stage): void {
  const zone = stage.pick(zonesOf('eu-west-3', ZONES));
  if (zone === undefined) return;
  runDry(stage, `zonal shift away from ${zone.name}`, [{ zone: zone.name }], zone.id);
}

/** `awayFrom`: the id of the zone that the cluster is shifted away from meanwhile. */
function runDry(
  stage: Stage,
  what: string,
  pools: readonly Readonly<Record<string, string>>[],
  awayFrom?: string,
): void {
  const { aws } = stage.world;
  stage.during(what, { minutes: stage.draw.integer(10, 90), of: 'capacity' }, () => {
    if (awayFrom !== undefined) aws.shiftAway(awayFrom);
    for (const pool of pools) aws.setStock(pool, 0);
    return () => {
      if (awayFrom !== undefined) aws.shiftAway(undefined);
      for (const pool of pools) aws.setStock(pool, Infinity);
    };
  });
}

function throttle(stage: Stage): void {
  const { faults } = stage.world.aws;
  const action = stage.pick(['ec2:CreateFleet', 'ec2:*', 'sqs:*', '*'] as const) ?? '*';
  const kind = stage.pick(['throttle', 'reset', 'lost-answer'] as const) ?? 'throttle';
  const probability = stage.draw.oneOf([0.1, 0.3, 0.5]);
  const what = `${kind} of ${String(100 * probability)} % of ${action}`;
  stage.during(what, { minutes: stage.draw.integer(3, 15), of: 'calls' }, () =>
    faults.add({ action, probability, fault: { kind } }),
  );
}

function running({ world }: Stage): ReturnType<Stage['world']['aws']['instances']> {
  return world.aws.instances().filter(({ state }) => state === 'running');
}

/** undefined, where there is no such thing any more. */
function known<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
