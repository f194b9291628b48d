/** How nodes are planned and taken away, as the options of the process say. */
import {
  DEFAULT_DISRUPTION_OPTIONS,
  type DisruptionOptions,
} from '../../planning/disrupt/question/disruption.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../planning/plan-options.js';
import type { ServiceOptions } from './options/service-options.js';

export function decisionOptions({
  preferencePolicy,
  defaultSpread,
  minValuesPolicy,
  spotToSpot,
  plansDevices,
}: Pick<
  ServiceOptions,
  'preferencePolicy' | 'defaultSpread' | 'minValuesPolicy' | 'spotToSpot' | 'plansDevices'
>): {
  readonly minValuesPolicy: ServiceOptions['minValuesPolicy'];
  readonly planOptions: PlanOptions;
  readonly disruptionOptions: DisruptionOptions;
} {
  const planOptions = { ...DEFAULT_PLAN_OPTIONS, preferencePolicy, defaultSpread, plansDevices };
  const disruptionOptions = { ...DEFAULT_DISRUPTION_OPTIONS, spotToSpot, plan: planOptions };
  return { minValuesPolicy, planOptions, disruptionOptions };
}
