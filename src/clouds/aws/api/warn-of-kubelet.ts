/** Kubelet settings that look like a slip of a known one. */
import type { Findings } from '../../../apis/decode/findings.js';
import { nearest } from '../../../apis/decode/nearest.js';
import { KUBELET_FIELDS, type KubeletDocument } from '../../../apis/fields/kubelet.js';

/** Other fields are handed to the kubelet unchecked, so only near misses are worth a word. */
export function warnOfKubelet(kubelet: KubeletDocument | undefined, findings: Findings): void {
  for (const field of Object.keys(kubelet ?? {})) {
    const guess = KUBELET_FIELDS.includes(field) ? undefined : nearest(field, KUBELET_FIELDS);
    if (guess === undefined) continue;
    findings.warning({
      code: 'unknown-field',
      path: ['spec', 'kubelet', field],
      text: 'is not validated; it is passed to the kubelet unchanged',
      guess,
      at: 'key',
    });
  }
}
