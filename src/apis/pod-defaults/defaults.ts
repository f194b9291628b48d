/** The defaults for pods in their order: documents list them so, and pods get them so. */
import type { StampedFields } from '../../domain/policies/pod-defaults.js';
import { architecture, capacityType, nodePool, nodeSelector } from './defaults/node-labels.js';
import { schedulerName } from './defaults/scheduler-name.js';
import { schedulingGate } from './defaults/scheduling-gate.js';
import { spread } from './defaults/spread.js';
import { tolerations } from './defaults/tolerations.js';
import type { PodDefault } from './pod-default.js';

export const POD_DEFAULTS = {
  architecture,
  capacityType,
  nodePool,
  nodeSelector,
  spread,
  tolerations,
  schedulerName,
  schedulingGate,
} as const satisfies { readonly [Field in keyof StampedFields]: PodDefault<Field> };
