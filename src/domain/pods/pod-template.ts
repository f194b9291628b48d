/** A PodTemplate, with the pod that would be made of it: what asks for room for pods that do not exist names one. */
import type { Pod } from './pod.js';

export interface PodTemplate {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Pending, without an owner, and called as the template is. */
  readonly pod: Pod;
}
