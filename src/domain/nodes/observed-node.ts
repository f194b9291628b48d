/** A node as the API server shows it: what scheduling sees, and what else its life cycle needs. */
import type { Labels } from '../values/labels.js';
import type { Node } from './node.js';

/** One of status.conditions. */
export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word; '' when the node does not say. */
  readonly reason: string;
  /** When the status last changed, in milliseconds since 1970; undefined when the node does not say. */
  readonly since: number | undefined;
}

export interface ObservedNode extends Node {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly deletionTimestamp: number | undefined;
  readonly finalizers: readonly string[];
  /** Changes whenever the instance boots (status.nodeInfo.bootID); '' when the node does not say. */
  readonly bootID: string;
  readonly annotations: Labels;
  /** Condition Ready is True. */
  readonly ready: boolean;
  /** When Ready last changed, in milliseconds since 1970; undefined when the kubelet has not said anything yet. */
  readonly readySince: number | undefined;
  /** All that it says, Ready among them. */
  readonly conditions: readonly NodeCondition[];
}
