/** Dual values as `berth plan --duals` prints them, read back. */
import { CPU } from '../../../../src/domain/values/resources.js';
import type { DualsDocument } from '../../../../src/app/cli/render/plan/plan-document.js';
import type { PlanDuals } from '../../../../src/planning/plan.js';

export function readDuals({ prices, pods, slot }: DualsDocument): PlanDuals {
  return {
    prices: prices.map(
      (list) =>
        new Map(
          Object.entries(list).map(([name, price]) => [name, name === CPU ? price / 1000 : price] as const),
        ),
    ),
    pods: pods.map((list) => ({ pods: list.pods, zones: new Map(Object.entries(list.zones)) })),
    slot,
  };
}
