/** What is asked right before a request leaves this process, after it has waited for its turn: a lot may have happened since. */
import { describePause } from '../../domain/records/pause.js';
import { PortError } from '../../ports/port-error.js';
import { checkFence } from '../../runtime/leadership/fenced.js';
import { pauseOf } from '../../state/policies/pause-of.js';
import type { Base } from './base.js';

export interface Permits {
  /** For writes to the Kubernetes API. @throws PortError Cancelled, when this replica does not lead any more. */
  readonly kube: () => void;
  /** For changes in the cloud. @throws the same; PortError Unavailable for a launch or an end of instances while Berth is paused. */
  readonly cloud: (operation: string, isPausable: boolean) => void;
}

export function permits(
  { cluster, options }: Pick<Base, 'cluster' | 'options'>,
  isLeader: () => boolean,
): Permits {
  return {
    kube: () => {
      checkFence(isLeader, 'write to the Kubernetes API');
    },
    cloud: (operation, isPausable) => {
      checkFence(isLeader, operation);
      const pause = isPausable ? pauseOf(cluster, options.namespace) : undefined;
      if (pause !== undefined)
        throw new PortError('Unavailable', { operation, message: describePause(pause) });
    },
  };
}
