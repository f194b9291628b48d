/** How `kubectl get pods` tells a pod (printPod of k8s.io/kubernetes/pkg/printers/internalversion). */
import { isObject, listAt, numberAt, textAt, valueAt } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { AGE, NAME, NONE, text } from './cells.js';
import { column, wide, type TableColumn } from './table-column.js';

export const POD_COLUMNS: readonly TableColumn[] = [
  NAME,
  column('Ready', (pod) => {
    const ready = containerStatuses(pod).filter((status) => valueAt(status, 'ready') === true).length;
    return `${String(ready)}/${String(listAt(pod, 'spec', 'containers').length)}`;
  }),
  column('Status', podStatus),
  column('Restarts', (pod) =>
    String(containerStatuses(pod).reduce<number>((sum, status) => sum + numberAt(status, 'restartCount'), 0)),
  ),
  AGE,
  wide('IP', text('status.podIP', NONE)),
  wide('Node', text('spec.nodeName', NONE)),
  wide('Nominated Node', text('status.nominatedNodeName', NONE)),
  wide('Readiness Gates', (pod) => {
    const gates = listAt(pod, 'spec', 'readinessGates');
    if (gates.length === 0) return NONE;
    const met = gates.filter(
      (gate) => conditionOf(pod, textAt(gate, 'conditionType'))?.['status'] === 'True',
    );
    return `${String(met.length)}/${String(gates.length)}`;
  }),
];

function containerStatuses(pod: KubeObject): readonly unknown[] {
  return listAt(pod, 'status', 'containerStatuses');
}

function conditionOf(pod: KubeObject, type: string): Readonly<Record<string, unknown>> | undefined {
  return listAt(pod, 'status', 'conditions')
    .filter(isObject)
    .find((condition) => condition['type'] === type);
}

function podStatus(pod: KubeObject): string {
  const reason = textAt(pod, 'status', 'reason');
  if (pod.metadata.deletionTimestamp !== undefined) return reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  const init = initStatus(pod);
  if (init !== undefined) return init;
  const gated = textAt(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  const phase = reason || (gated ? 'SchedulingGated' : textAt(pod, 'status', 'phase'));
  return containersStatus(pod) ?? phase;
}

/** While init containers run, or one of them failed. */
function initStatus(pod: KubeObject): string | undefined {
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  const at = statuses.findIndex((status) => {
    return !(
      isObject(valueAt(status, 'state', 'terminated')) &&
      numberAt(status, 'state', 'terminated', 'exitCode') === 0
    );
  });
  const status = statuses[at];
  if (status === undefined || valueAt(status, 'started') === true) return undefined;
  const why = textAt(status, 'state', 'terminated', 'reason') || textAt(status, 'state', 'waiting', 'reason');
  if (why !== '' && why !== 'PodInitializing') return `Init:${why}`;
  return `Init:${String(at)}/${String(listAt(pod, 'spec', 'initContainers').length)}`;
}

/** The reason of the first container that has one. */
function containersStatus(pod: KubeObject): string | undefined {
  const statuses = containerStatuses(pod);
  const reasons = statuses.map((status) => {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    if (waiting !== '') return waiting;
    const terminated = valueAt(status, 'state', 'terminated');
    if (!isObject(terminated)) return '';
    return textAt(terminated, 'reason') || `ExitCode:${String(numberAt(terminated, 'exitCode'))}`;
  });
  const reason = reasons.find((each) => each !== '');
  const isRunning = statuses.some((status) => isObject(valueAt(status, 'state', 'running')));
  if (reason === 'Completed' && isRunning)
    return conditionOf(pod, 'Ready')?.['status'] === 'True' ? 'Running' : 'NotReady';
  return reason;
}
