/** What planning says of a live cluster: every pending pod on every node, from the API objects through our decoders. */
import { decodeNamespace } from '../../../src/apis/kubernetes/object/namespace.js';
import { decodeCSINode, decodeNode } from '../../../src/apis/kubernetes/nodes/node.js';
import { podContext } from '../../../src/apis/kubernetes/pods/pod-context.js';
import { decodePod } from '../../../src/apis/kubernetes/pods/pod.js';
import {
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
} from '../../../src/apis/kubernetes/volumes/storage.js';
import { Feasibility, type NodeVerdict } from '../../support/feasibility.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { LiveObjects } from './live-cluster.js';

/** Per pending pod, by `namespace/name`: node → what refuses it, or undefined where it fits. */
export type OurVerdicts = ReadonlyMap<string, ReadonlyMap<string, NodeVerdict>>;

export interface OurView {
  readonly verdicts: OurVerdicts;
  /** `namespace/name` of the claims that have their volume. */
  readonly boundClaims: ReadonlySet<string>;
  /** What the decoders had to say of objects that the API server accepted; there should be nothing. */
  readonly findings: readonly string[];
}

export function ourView(live: LiveObjects): OurView {
  const findings: string[] = [];
  function decode<T>(objects: readonly object[], read: (object: unknown) => Decoded<T>): readonly T[] {
    return objects.flatMap((object) => {
      const decoded = read(object);
      findings.push(...decoded.findings.map(({ text }) => text));
      return decoded.value === undefined ? [] : [decoded.value];
    });
  }
  const limits = new Map(decode(live.csiNodes, decodeCSINode).map((item) => [item.name, item.volumeLimits]));
  const claims = decode(live.claims, decodePersistentVolumeClaim);
  const classes = decode(live.classes, decodeStorageClass);
  const defaultClass = classes.find(({ isDefault }) => isDefault)?.name ?? '';
  const context = podContext({
    storage: { defaultClass, claims: new Set(claims.map(({ name }) => name)) },
  });
  const snapshot = buildSnapshot({
    pods: decode(live.pods, (pod) => decodePod(pod, context)),
    nodes: live.nodes.flatMap((node) =>
      decode([node], (object) => decodeNode(object, limits.get(node.metadata.name))),
    ),
    daemonSets: [],
    pools: [],
    persistentVolumeClaims: claims,
    persistentVolumes: decode(live.volumes, decodePersistentVolume),
    storageClasses: classes,
    namespaces: new Map(decode(live.namespaces, decodeNamespace).map(({ name, labels }) => [name, labels])),
  });
  const feasibility = new Feasibility(snapshot);
  const verdicts = new Map<string, ReadonlyMap<string, NodeVerdict>>();
  snapshot.pods.keys.forEach((key, pod) => {
    if (snapshot.pods.node[pod] !== -1) return;
    const answers = feasibility.verdicts(pod);
    verdicts.set(key, new Map(snapshot.nodes.map(({ name }, node) => [name, answers[node]])));
  });
  const bound = claims.filter(({ volumeName, hold }) => volumeName !== undefined && hold === undefined);
  return { verdicts, boundClaims: new Set(bound.map(({ name }) => name)), findings };
}

interface Decoded<T> {
  readonly value: T | undefined;
  readonly findings: readonly { readonly text: string }[];
}
