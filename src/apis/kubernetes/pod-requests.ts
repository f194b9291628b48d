/** What kube-scheduler counts for a pod: PodRequests of component-helpers 1.36 after the API server's defaults. */
import { PODS, type ResourceList } from '../../domain/resources.js';
import {
  addAmounts,
  isHugePages,
  maxAmounts,
  NO_AMOUNTS,
  overrideAmounts,
  readAmounts,
  roundAmounts,
  type Amounts,
} from './amounts.js';
import { elements, member, optionalText, type Field } from './field.js';

interface Container {
  readonly name: string;
  /** What spec says, where a resource without a request takes its limit. */
  readonly requests: Amounts;
  /** An init container with restartPolicy Always: it runs as long as the pod. */
  readonly sidecar: boolean;
}

/** Resources that the kubelet reports: what it has set up, and what it has promised. */
interface Actual {
  readonly actuated: Amounts;
  readonly allocated: Amounts;
}

/**
 * Requests of the pod: containers and sidecars, or the init containers' peak where that is higher; pod-level resources
 * in their place where given; overhead on top; and one `pods`. While a resize is going on the larger of old and new
 * counts; one that the kubelet found infeasible does not.
 */
export function readPodRequests(spec: Field, status: Field): ResourceList {
  const containers = elements(member(spec, 'containers')).map(readContainer);
  const initContainers = elements(member(spec, 'initContainers')).map(readContainer);
  const resize = readResize(status);
  const ofContainers = aggregate(containers, initContainers, resize);
  const podLevel = podLevelRequests(member(spec, 'resources'), containers, initContainers);
  const total = overrideAmounts(ofContainers, resize.ofPod(podLevel));
  const overhead = readAmounts(member(spec, 'overhead'), 'any');
  return new Map([...roundAmounts(addAmounts(total, overhead)), [PODS, 1]]);
}

function readContainer(field: Field): Container {
  const resources = member(field, 'resources');
  const requests = readAmounts(member(resources, 'requests'), 'container');
  const limits = readAmounts(member(resources, 'limits'), 'container');
  return {
    name: optionalText(member(field, 'name')) ?? '',
    requests: overrideAmounts(limits, requests),
    sidecar: member(field, 'restartPolicy').value === 'Always',
  };
}

/**
 * Containers and sidecars run together. While an init container runs, only the sidecars before it run beside it
 * (KEP-753).
 */
function aggregate(
  containers: readonly Container[],
  initContainers: readonly Container[],
  resize: Resize,
): Amounts {
  let running = NO_AMOUNTS;
  for (const container of containers) running = addAmounts(running, resize.ofContainer(container));
  let sidecars = NO_AMOUNTS;
  let peak = NO_AMOUNTS;
  for (const container of initContainers) {
    // A finished init container cannot be resized, so its status does not count.
    const requests = container.sidecar ? resize.ofContainer(container) : container.requests;
    const together = addAmounts(sidecars, requests);
    if (container.sidecar) {
      sidecars = together;
      running = addAmounts(running, requests);
    }
    peak = maxAmounts(peak, together);
  }
  return maxAmounts(running, peak);
}

/**
 * spec.resources.requests with the API server's defaults: once there are pod-level limits, a resource without a
 * pod-level request takes what the containers request (not so huge pages), else its limit.
 */
function podLevelRequests(
  resources: Field,
  containers: readonly Container[],
  initContainers: readonly Container[],
): Amounts {
  if (resources.value === undefined) return NO_AMOUNTS;
  const requests = readAmounts(member(resources, 'requests'), 'pod');
  const limits = readAmounts(member(resources, 'limits'), 'pod');
  const ofContainers = aggregate(containers, initContainers, NO_RESIZE);
  const defaults = [...limits].map(([name, limit]): [string, bigint] => {
    return [name, (isHugePages(name) ? undefined : ofContainers.get(name)) ?? limit];
  });
  return overrideAmounts(new Map(defaults), requests);
}

/** How an in-place resize under way changes what spec says (KEP-1287, KEP-5419). */
interface Resize {
  ofContainer(container: Container): Amounts;
  ofPod(requests: Amounts): Amounts;
}

const NO_RESIZE: Resize = {
  ofContainer: (container) => container.requests,
  ofPod: (requests) => requests,
};

function readResize(status: Field): Resize {
  if (status.value === undefined) return NO_RESIZE;
  const infeasible = isResizeInfeasible(status);
  const actual = new Map<string, Actual>();
  for (const list of ['containerStatuses', 'initContainerStatuses']) {
    for (const item of elements(member(status, list))) {
      const found = readActual(item);
      if (found !== undefined) actual.set(optionalText(member(item, 'name')) ?? '', found);
    }
  }
  const pod = readActual(status);
  return {
    ofContainer: ({ name, requests }) => effective(requests, actual.get(name), infeasible),
    ofPod: (requests) => {
      const merged = effective(requests, pod, infeasible);
      return new Map([...requests.keys()].map((name) => [name, merged.get(name) ?? 0n]));
    },
  };
}

/** Only what has `resources` counts: without them the kubelet is too old to resize. */
function readActual(field: Field): Actual | undefined {
  const resources = member(field, 'resources');
  if (resources.value === undefined) return undefined;
  return {
    actuated: readAmounts(member(resources, 'requests'), 'any'),
    allocated: readAmounts(member(field, 'allocatedResources'), 'any'),
  };
}

function effective(requests: Amounts, actual: Actual | undefined, infeasible: boolean): Amounts {
  if (actual === undefined) return requests;
  const held = maxAmounts(actual.actuated, actual.allocated);
  return infeasible ? held : maxAmounts(requests, held);
}

function isResizeInfeasible(status: Field): boolean {
  const pending = elements(member(status, 'conditions')).find(
    (item) => member(item, 'type').value === 'PodResizePending',
  );
  return pending !== undefined && member(pending, 'reason').value === 'Infeasible';
}
