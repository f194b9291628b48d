/** Builds node classes for the catalogue's tests. */
import { DEFAULT_NODE_CLASS } from '../../../../src/clouds/aws/catalogue/default-node-class.js';
import type { KubeletSettings, NodeSettings } from '../../../../src/clouds/aws/families/node-settings.js';

type Overrides = Partial<Omit<NodeSettings, 'kubelet'>> & { readonly kubelet?: Partial<KubeletSettings> };

/** The default node class, but for what is given. */
export function nodeClass({ kubelet, ...rest }: Overrides = {}): NodeSettings {
  return { ...DEFAULT_NODE_CLASS, ...rest, kubelet: { ...DEFAULT_NODE_CLASS.kubelet, ...kubelet } };
}
