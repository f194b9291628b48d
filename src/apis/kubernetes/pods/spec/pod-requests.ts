/** What kube-scheduler counts for a pod: PodRequests of component-helpers 1.36 after the API server's defaults. */
import { CPU, MEMORY, PODS, type ResourceList } from '../../../../domain/values/resources.js';
import {
  addAmounts,
  isHugePages,
  maxAmounts,
  NO_AMOUNTS,
  overrideAmounts,
  readAmounts,
  roundAmounts,
  type Amounts,
} from '../../object/amounts.js';
import { elements, hasObject, member, optionalText, type Field } from '../../object/field.js';

interface Container {
  readonly name: string;
  /** What spec says, where a resource without a request takes its limit. */
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** Init containers run before the others; sidecars are those with restartPolicy Always, which keep running. */
  readonly role: 'main' | 'init' | 'sidecar';
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
  const containers = [
    ...elements(member(spec, 'initContainers')).map(readInitContainer),
    ...elements(member(spec, 'containers')).map((item) => readContainer(item, 'main')),
  ];
  const resize = readResize(status);
  const ofContainers = aggregate(containers, (container) => resize.ofContainer(container));
  const podLevel = podLevelRequests(member(spec, 'resources'), containers);
  const total = overrideAmounts(ofContainers, resize.ofPod(podLevel));
  const overhead = readAmounts(member(spec, 'overhead'), 'any');
  return new Map([...roundAmounts(addAmounts(total, overhead)), [PODS, 1]]);
}

function readInitContainer(field: Field): Container {
  return readContainer(field, isSidecar(field) ? 'sidecar' : 'init');
}

function readContainer(field: Field, role: Container['role']): Container {
  hasObject(field);
  const resources = member(field, 'resources');
  hasObject(resources);
  const limits = readAmounts(member(resources, 'limits'), 'container');
  const requests = overrideAmounts(limits, readAmounts(member(resources, 'requests'), 'container'));
  return { name: optionalText(member(field, 'name')) ?? '', requests, limits, role };
}

/**
 * What the containers ask for, init containers first in the list: sidecars and main containers run together; while an
 * init container runs, only the sidecars before it run beside it (KEP-753).
 */
function aggregate(containers: readonly Container[], of: (container: Container) => Amounts): Amounts {
  let running = NO_AMOUNTS;
  let peak = NO_AMOUNTS;
  for (const container of containers) {
    const together = addAmounts(running, of(container));
    if (container.role === 'init') peak = maxAmounts(peak, together);
    else running = together;
  }
  return maxAmounts(running, peak);
}

/**
 * spec.resources.requests with the API server's defaults. Huge pages that only containers limit become a limit of the
 * pod; once there are limits, cpu and memory that the pod does not request are what its containers request, and what
 * is still missing is the limit.
 */
function podLevelRequests(resources: Field, containers: readonly Container[]): Amounts {
  if (!hasObject(resources)) return NO_AMOUNTS;
  const requests = readAmounts(member(resources, 'requests'), 'pod');
  const given = readAmounts(member(resources, 'limits'), 'pod');
  if (requests.size + given.size === 0) return NO_AMOUNTS;
  const pages = pick(
    aggregate(containers, (container) => container.limits),
    (resource) => isHugePages(resource) && !requests.has(resource),
  );
  const limits = overrideAmounts(pages, given);
  if (limits.size === 0) return requests;
  const ofContainers = pick(
    aggregate(containers, (container) => container.requests),
    isOvercommitted,
  );
  return overrideAmounts(overrideAmounts(limits, ofContainers), requests);
}

/** Of the resources that can be given to a pod as a whole. */
function isOvercommitted(resource: string): boolean {
  return resource === CPU || resource === MEMORY;
}

function pick(amounts: Amounts, isWanted: (resource: string) => boolean): Amounts {
  return new Map([...amounts].filter(([resource]) => isWanted(resource)));
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
    // An init container that ends cannot be resized, so its status does not count.
    ofContainer: ({ name, requests, role }) =>
      role === 'init' ? requests : effective(requests, actual.get(name), infeasible),
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

/** Whether the init container restarts always: it is a sidecar and keeps running beside the containers (KEP-753). */
export function isSidecar(initContainer: Field): boolean {
  return member(initContainer, 'restartPolicy').value === 'Always';
}
