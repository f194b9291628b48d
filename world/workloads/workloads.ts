/** All that kube-controller-manager, the cloud's controller and drivers of storage and devices do in the simulated world. */
import type { Actor, ActorContext } from '../cluster/actor.js';
import type { InstanceSource } from '../cluster/instance-source.js';
import { deviceDriver } from '../devices/device-driver.js';
import { daemonSetController } from './daemon-set.js';
import { deploymentController } from './deployment.js';
import { DisruptionBudgets } from './disruption-budgets.js';
import { jobController } from './job.js';
import { LostNodes } from './lost-nodes.js';
import { NodeLifecycle } from './node-lifecycle.js';
import { ResourceClaims } from './resource-claims.js';
import { replicaSetController } from './replica-set.js';
import { statefulSetController } from './stateful-set.js';
import { TaintEviction } from './taint-eviction.js';
import { VolumeAttachments } from './volume-attachments.js';
import { Volumes } from './volumes.js';

export function workloadActors(context: ActorContext, cloud: InstanceSource): readonly Actor[] {
  const daemonSets = daemonSetController(context);
  return [
    deploymentController(context),
    replicaSetController(context),
    statefulSetController(context),
    jobController(context),
    daemonSets,
    followingNodes(context, () => {
      daemonSets.addAll();
    }),
    new DisruptionBudgets(context),
    new NodeLifecycle(context),
    new TaintEviction(context),
    new LostNodes(context, cloud),
    new Volumes(context),
    new VolumeAttachments(context),
    new ResourceClaims(context),
    deviceDriver(context),
  ];
}

/** Calls whenever nodes come, go, or change in what DaemonSets look at. */
function followingNodes({ api }: ActorContext, changed: () => void): Actor {
  let stop = (): void => undefined;
  return {
    start: () => {
      stop = api.watch('nodes', ({ type, object, before }) => {
        const isSame =
          type === 'MODIFIED' &&
          JSON.stringify([object.metadata.labels, object['spec']]) ===
            JSON.stringify([before?.metadata.labels, before?.['spec']]);
        if (!isSame) changed();
      });
    },
    stop: () => {
      stop();
    },
  };
}
