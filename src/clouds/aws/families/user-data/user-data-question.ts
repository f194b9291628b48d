/** What user data is made of, and what it amounts to. */
import type { KubeletDocument } from '../../../../apis/fields/kubelet.js';
import type { Labels } from '../../../../domain/values/labels.js';
import type { LaunchIntent } from '../../../../ports/cloud.js';
import type { ClusterFacts } from './cluster-facts.js';

export interface UserDataQuestion {
  readonly cluster: ClusterFacts;
  /** What the node registers with. */
  readonly labels: Labels;
  readonly taints: LaunchIntent['taints'];
  readonly kubelet: KubeletDocument | undefined;
  /** The most pods that the kubelet takes; undefined: it is left to the image to count them. */
  readonly maxPods: number | undefined;
  /** Local disks become one array for kubelet and containers. */
  readonly isInstanceStoreRaid0: boolean;
  /** The user's own part, in the format of the family; undefined or empty when there is none. */
  readonly own: string | undefined;
}

/** The text, not encoded yet; or a sentence on why there can be none. */
export type UserData = { readonly text: string } | { readonly problem: string };
