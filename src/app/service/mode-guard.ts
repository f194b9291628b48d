/** What a process that only observes must not send, refused where requests leave it: to the Kubernetes API and to the cloud. */
import { refuseObserversChanges, type RefuseChange } from '../../adapters/kube/transport/index.js';
import { LEADER_LEASE } from '../../domain/records/lease.js';
import { PortError } from '../../ports/port-error.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { apiResource } from './api-resource.js';
import type { ServiceOptions } from './options/service-options.js';

export interface ModeGuard {
  /** undefined, as the next one: everything may be sent. */
  readonly kube: RefuseChange | undefined;
  /** @throws PortError ReadOnly. */
  readonly cloud: ((operation: string) => never) | undefined;
}

/** Refusals are counted: each of them is a defect of Berth, of which nothing came. */
export function modeGuard(
  { mode, namespace, cloud = 'cloud' }: Pick<ServiceOptions, 'mode' | 'namespace' | 'cloud'>,
  { refusedChanges }: Pick<Metrics, 'refusedChanges'>,
): ModeGuard {
  if (mode !== 'observe') return { kube: undefined, cloud: undefined };
  const refuse = refuseObserversChanges(namespace, LEADER_LEASE);
  return {
    kube: (change) => {
      const refusal = refuse(change);
      const { kind, subresource } = apiResource(change.path);
      const operation = `${change.method} ${subresource === '' ? kind : `${kind}/${subresource}`}`;
      if (refusal !== undefined) refusedChanges.inc({ target: 'kubernetes', operation });
      return refusal;
    },
    cloud: (operation) => {
      refusedChanges.inc({ target: cloud, operation });
      const message = 'Berth only observes this cluster (--mode observe), so the call was not sent';
      throw new PortError('ReadOnly', { operation, message });
    },
  };
}
