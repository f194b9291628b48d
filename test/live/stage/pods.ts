/** Pods of live facts, put onto the nodes that a scene wants them on. */
import type { Manifest, ObjectRef } from '../../controlplane/fixture/api/api-client.js';
import { FACT } from './pool.js';

export interface PodTerms {
  /** One. */
  readonly count?: number;
  /** 300m. */
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The whole name of the NodePool whose nodes they may come to; any of the fact. */
  readonly pool?: string;
  /** Further fields of their specification. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** ReplicaSet: when one is evicted, another comes, and kube-scheduler says where. */
  readonly owner?: 'ReplicaSet' | 'none';
}

/** By how much a deleted pod ends later, such as 5s: an annotation that a stage of KWOK reads. */
export const END_DELAY = 'pod-delete.stage.kwok.x-k8s.io/delay';
export const PROTECTED = { 'karpenter.sh/do-not-disrupt': 'true' };

/** The labels that only these pods have, and their template, without a node. */
export function podTemplate(
  fact: string,
  group: string,
  { labels, annotations, cpu = '300m', pool, spec }: PodTerms,
): { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly spec: unknown } {
  return {
    metadata: {
      labels: { [FACT]: fact, group, ...labels },
      ...(annotations && { annotations }),
    },
    spec: {
      nodeSelector: { [FACT]: fact, ...(pool !== undefined && { 'karpenter.sh/nodepool': pool }) },
      containers: [{ name: 'main', image: 'none', resources: { requests: { cpu, memory: '256Mi' } } }],
      ...spec,
    },
  };
}

/** A ReplicaSet that takes over the pods of a group that are there. */
export function replicaSet(
  group: string,
  replicas: number,
  template: unknown,
): Manifest & { readonly metadata: ObjectRef } {
  return {
    metadata: { name: group },
    spec: { replicas, selector: { matchLabels: { group } }, template },
  };
}
