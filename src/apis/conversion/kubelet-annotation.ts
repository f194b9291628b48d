/** The kubelet settings of pools from before v1, kept in Karpenter's own annotation of a converted pool. */
import { checkValue } from '../documents/check-value.js';
import { kubeletV1, type KubeletDocument } from '../fields/kubelet.js';
import { KUBELET_ANNOTATION } from '../fields/plain-metadata.js';

/** What the annotation holds; nothing when it has other content. */
export function annotatedKubelet(
  annotations: Readonly<Record<string, string>> | undefined,
): KubeletDocument | undefined {
  const text = annotations?.[KUBELET_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return checkValue(value, false).faults.length === 0 ? kubeletV1.safeParse(value).data : undefined;
  } catch {
    return undefined;
  }
}
