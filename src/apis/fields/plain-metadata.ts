/** What the conversions of older pools share: plain v1 objects without noise. */
import type { EnvelopeMetadata } from './metadata.js';

/** Where Karpenter keeps the kubelet of a pool from before v1, as JSON. */
export const KUBELET_ANNOTATION = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';

/** Name, labels and annotations: what users wrote and a new object keeps. */
export interface PlainMetadata {
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

/** The fields that are defined. */
export function compact<T extends object>(fields: T): { [K in keyof T]: T[K] } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Metadata without what the API server adds. */
export function plainMetadata({ name, labels, annotations }: EnvelopeMetadata): PlainMetadata {
  return { name, ...(labels && { labels }), ...(annotations && { annotations }) };
}

/** Metadata with the kubelet kept in an annotation; unchanged when there is none. */
export function withKubelet(metadata: PlainMetadata, kubelet: object | undefined): PlainMetadata {
  if (kubelet === undefined || Object.keys(kubelet).length === 0) return metadata;
  return {
    ...metadata,
    annotations: { ...metadata.annotations, [KUBELET_ANNOTATION]: JSON.stringify(kubelet) },
  };
}
