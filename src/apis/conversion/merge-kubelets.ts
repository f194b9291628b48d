/** Puts the kubelet settings of converted pools where v1 has them: into the node class. */
import { isNodeClassKind } from '../../domain/policies/node-class.js';
import { annotatedKubelet } from './kubelet-annotation.js';
import { compact, KUBELET_ANNOTATION } from '../fields/plain-metadata.js';
import type { NodeClassObject } from '../node-class/node-class-codec.js';
import { nodeClassCodec } from '../node-class/node-class-codecs.js';
import type { NodePoolInput } from '../node-pool/v1.js';
import type { CurrentObject } from './policy-kinds.js';

/**
 * Moves the settings that pools carry as Karpenter's annotation into the node classes that they name. Where pools of one
 * class disagree, each such pool gets a class of its own, `<class>-<pool>`. A pool whose class is not here keeps the
 * annotation. The settings replace those of the class, as they do in Karpenter; those that its nodes do not take are left out.
 */
export function mergeKubelets(objects: readonly CurrentObject[]): readonly CurrentObject[] {
  const pools = objects.filter((object) => object.kind === 'NodePool');
  const replaced = new Map<CurrentObject, CurrentObject>();
  const added: CurrentObject[] = [];
  const taken = new Set(objects.map((object) => object.metadata.name));
  for (const nodeClass of objects.filter(takesKubelet)) {
    const users = pools.filter((pool) => names(pool, nodeClass));
    const kubelets = new Set(users.map(settingsOf));
    const [only] = kubelets;
    if (kubelets.size === 1 && only !== undefined) {
      replaced.set(nodeClass, withKubelet(nodeClass, nodeClass.metadata.name, only));
      for (const pool of users) replaced.set(pool, withoutAnnotation(pool, nodeClass.metadata.name));
      continue;
    }
    for (const pool of users) {
      const kubelet = settingsOf(pool);
      if (kubelet === undefined) continue;
      const name = derivedName(nodeClass.metadata.name, pool.metadata.name, taken);
      taken.add(name);
      added.push(withKubelet(nodeClass, name, kubelet));
      replaced.set(pool, withoutAnnotation(pool, name));
    }
  }
  return [...objects.map((object) => replaced.get(object) ?? object), ...added];
}

const LONGEST_NAME = 63;

/** `<class>-<pool>`, cut where that is too long for a label, and numbered where it is taken. */
function derivedName(nodeClass: string, pool: string, taken: ReadonlySet<string>): string {
  const name = `${nodeClass}-${pool}`;
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `-${String(count)}`;
    const cut = name.slice(0, LONGEST_NAME - suffix.length).replace(/[-.]+$/, '') + suffix;
    if (!taken.has(cut)) return cut;
  }
}

function takesKubelet(object: CurrentObject): object is NodeClassObject {
  return isNodeClassKind(object.kind) && nodeClassCodec(object.kind).withKubelet !== undefined;
}

function names({ spec }: NodePoolInput, { kind, metadata }: NodeClassObject): boolean {
  const ref = spec.template.spec.nodeClassRef;
  return ref.kind === kind && ref.name === metadata.name;
}

/** The settings as text, so that they can be compared. */
function settingsOf(pool: NodePoolInput): string | undefined {
  const kubelet = annotatedKubelet(pool.metadata.annotations);
  return kubelet && JSON.stringify(kubelet);
}

function withKubelet(nodeClass: NodeClassObject, name: string, kubelet: string): NodeClassObject {
  const settings = JSON.parse(kubelet) as Readonly<Record<string, unknown>>;
  const named = { ...nodeClass, metadata: { ...nodeClass.metadata, name } };
  return nodeClassCodec(nodeClass.kind).withKubelet?.(named, settings) ?? named;
}

function withoutAnnotation(pool: NodePoolInput, nodeClass: string): NodePoolInput {
  const { spec, metadata } = pool;
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== KUBELET_ANNOTATION);
  const nodeClassRef = { ...spec.template.spec.nodeClassRef, name: nodeClass };
  return {
    ...pool,
    metadata: compact({ ...metadata, annotations: kept.length === 0 ? undefined : Object.fromEntries(kept) }),
    spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, nodeClassRef } } },
  };
}
