/** One policy document → values of the domain. */
import type { NodeClass, NodeClassKind } from '../../domain/policies/node-class.js';
import type { NodeOverlay } from '../../domain/policies/node-overlay.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import type { KubeletDocument } from '../fields/kubelet.js';
import { nodeClassCodec, nodeClassCodecs } from '../node-class/node-class-codecs.js';
import { berthSettings, type BerthSettings } from '../node-pool/berth-block.js';
import { annotatedKubelet } from './kubelet-annotation.js';
import { toNodeOverlay } from '../node-overlay/to-node-overlay.js';
import { nodeOverlayV1Alpha1, type NodeOverlayDocument } from '../node-overlay/v1alpha1.js';
import { toNodePool } from '../node-pool/to-node-pool.js';
import { nodePoolV1, type NodePoolDocument } from '../node-pool/v1.js';
import { podDefaultsV1, toPodDefaults, type PodDefaultsDocument } from '../pod-defaults/v1.js';
import type { CurrentObject } from './policy-kinds.js';

/** A pool for planning, what its `berth:` block says, and the document with defaults. */
export interface DecodedNodePool {
  readonly kind: 'NodePool';
  readonly pool: NodePool;
  readonly berth: BerthSettings;
  readonly document: NodePoolDocument;
  /** Settings that an older pool carries for its nodes while its node class is not known; they replace the class' own. */
  readonly kubelet: KubeletDocument | undefined;
}

export interface DecodedNodeClass {
  readonly kind: NodeClassKind;
  readonly nodeClass: NodeClass;
}

export interface DecodedNodeOverlay {
  readonly kind: 'NodeOverlay';
  readonly nodeOverlay: NodeOverlay;
  readonly document: NodeOverlayDocument;
}

export interface DecodedPodDefaults {
  readonly kind: 'PodDefaults';
  readonly podDefaults: PodDefaults;
  readonly document: PodDefaultsDocument;
}

export type DecodedPolicy = DecodedNodePool | DecodedNodeClass | DecodedNodeOverlay | DecodedPodDefaults;

/** Reads an object that has passed its schema. */
export function decodeCurrent(object: CurrentObject): DecodedPolicy {
  switch (object.kind) {
    case 'NodePool': {
      const document = nodePoolV1(nodeClassCodecs()).parse(object);
      const berth = berthSettings(document.berth);
      const kubelet = annotatedKubelet(document.metadata.annotations);
      return { kind: object.kind, pool: toNodePool(document, berth), berth, document, kubelet };
    }
    case 'NodeOverlay': {
      const document = nodeOverlayV1Alpha1.parse(object);
      return { kind: object.kind, nodeOverlay: toNodeOverlay(document), document };
    }
    case 'PodDefaults': {
      const document = podDefaultsV1.parse(object);
      return { kind: object.kind, podDefaults: toPodDefaults(document), document };
    }
    default:
      return { kind: object.kind, nodeClass: nodeClassCodec(object.kind).decode(object) };
  }
}
