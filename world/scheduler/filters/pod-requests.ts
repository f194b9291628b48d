/** What a pod takes of a node, as kube-scheduler counts it (k8s.io/component-helpers, PodRequests). */
import { CPU, MEMORY, parseAmount, PODS } from '../../../src/domain/values/resources.js';
import type { Container, Pod, Quantities } from '../../cluster/objects.js';

/** Resource → amount: cpu in millicores, the rest in whole units. */
export type Amounts = Map<string, number>;

export function amountsOf(quantities: Quantities | undefined): Amounts {
  return new Map(
    Object.entries(quantities ?? {}).map(([name, text]) => [name, parseAmount(name, String(text))]),
  );
}

/** Adds `sign` × what is given. */
export function addTo(sum: Amounts, amounts: ReadonlyMap<string, number>, sign = 1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + sign * amount);
}

/**
 * Containers and sidecars together, or the most that one init container takes beside the sidecars started before it; where
 * the pod itself says how much cpu, memory and huge pages it wants, that; and its overhead; and one of `pods`.
 */
export function podRequests({ spec }: Pod): Amounts {
  const running: Amounts = new Map();
  for (const container of spec.containers) addTo(running, requestsOf(container));
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const wanted = requestsOf(container);
    const during = new Map(sidecars);
    addTo(during, wanted);
    raiseTo(peak, during);
    if (container.restartPolicy !== 'Always') continue;
    addTo(sidecars, wanted);
    addTo(running, wanted);
  }
  raiseTo(running, peak);
  for (const [name, amount] of requestsOf(spec)) if (isOfPods(name)) running.set(name, amount);
  addTo(running, amountsOf(spec.overhead));
  running.set(PODS, 1);
  return running;
}

/** A limit without a request is the request too. */
function requestsOf({ resources }: Pick<Container, 'resources'>): Amounts {
  return new Map([...amountsOf(resources?.limits), ...amountsOf(resources?.requests)]);
}

function raiseTo(amounts: Amounts, least: Amounts): void {
  for (const [name, amount] of least) amounts.set(name, Math.max(amounts.get(name) ?? 0, amount));
}

/** What pod-level resources may name (KEP-2837). */
function isOfPods(name: string): boolean {
  return name === CPU || name === MEMORY || name.startsWith('hugepages-');
}
