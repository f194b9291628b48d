/** Builds node classes for the catalogue's tests. */
import { DEFAULT_NODE_CLASS } from '../../../../src/clouds/aws/catalogue/default-node-class.js';
import type { KubeletSettings, NodeClass } from '../../../../src/domain/policies/node-class.js';

type Overrides = Partial<Omit<NodeClass, 'kubelet'>> & { readonly kubelet?: Partial<KubeletSettings> };

/** The default node class, but for what is given. */
export function nodeClass({ kubelet, ...rest }: Overrides = {}): NodeClass {
  return { ...DEFAULT_NODE_CLASS, ...rest, kubelet: { ...DEFAULT_NODE_CLASS.kubelet, ...kubelet } };
}
