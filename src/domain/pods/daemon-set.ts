/** A DaemonSet: the pod that every matching node will carry. */
import type { PodSpec } from './pod.js';

export interface DaemonSet {
  readonly namespace: string;
  readonly name: string;
  /** The pod template; its tolerations include those the DaemonSet controller adds. */
  readonly spec: PodSpec;
}
