/** A submitted pod as far as stamping looks at it. Whatever the JSON holds, reading it does not fail. */
import { plainObject, type Plain } from '../../apis/decode/plain.js';
import { canonicalLabel, type Labels } from '../../domain/values/labels.js';

/** A toleration as it stands in the pod; '' where a field is missing. */
export interface PodToleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

export interface PodView {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly ownerKinds: readonly string[];
  readonly nodeName: string;
  /** '' when the API server has not set its default. */
  readonly schedulerName: string;
  /** Node labels that nodeSelector or required node affinity name, by their current names. */
  readonly namedLabels: ReadonlySet<string>;
  readonly tolerations: readonly PodToleration[];
  /** Topology keys of its spread constraints, by their current names. */
  readonly spreadKeys: ReadonlySet<string>;
  /** Objects and lists that are there, if only empty, and can be added to. */
  readonly present: ReadonlySet<PatchedParent>;
}

/** Where the patch adds to. */
export type PatchedParent = 'annotations' | 'nodeSelector' | 'tolerations' | 'topologySpreadConstraints';

/** undefined when it has not the shape of a pod, which the API server refuses by itself. */
export function viewPod(pod: unknown): PodView | undefined {
  const metadata = plainObject(own(pod, 'metadata'));
  const spec = plainObject(own(pod, 'spec'));
  if (metadata === undefined || spec === undefined) return undefined;
  const annotations = objectIn(metadata, 'annotations');
  const nodeSelector = objectIn(spec, 'nodeSelector');
  const tolerations = listIn(spec, 'tolerations');
  const constraints = listIn(spec, 'topologySpreadConstraints');
  const labels = objectIn(metadata, 'labels');
  if (!annotations || !nodeSelector || !tolerations || !constraints || !labels) return undefined;
  const parents: readonly (readonly [PatchedParent, Plain])[] = [
    ['annotations', metadata],
    ['nodeSelector', spec],
    ['tolerations', spec],
    ['topologySpreadConstraints', spec],
  ];
  return {
    labels: textsOf(labels),
    annotations: textsOf(annotations),
    ownerKinds: (listIn(metadata, 'ownerReferences') ?? []).map((owner) => textIn(owner, 'kind')),
    nodeName: textIn(spec, 'nodeName'),
    schedulerName: textIn(spec, 'schedulerName'),
    namedLabels: new Set([...Object.keys(nodeSelector), ...affinityKeys(spec)].map(canonicalLabel)),
    tolerations: tolerations.map(readToleration),
    spreadKeys: new Set(constraints.map((item) => canonicalLabel(textIn(item, 'topologyKey')))),
    present: new Set(parents.flatMap(([name, parent]) => (isPresent(parent, name) ? [name] : []))),
  };
}

function readToleration(toleration: unknown): PodToleration {
  return {
    key: textIn(toleration, 'key'),
    operator: textIn(toleration, 'operator') || 'Equal',
    value: textIn(toleration, 'value'),
    effect: textIn(toleration, 'effect'),
  };
}

/** Keys in any of the terms, of which one must hold: a user who writes alternatives has considered the label. */
function affinityKeys(spec: Plain): readonly string[] {
  const required = objectIn(
    objectIn(objectIn(spec, 'affinity'), 'nodeAffinity'),
    'requiredDuringSchedulingIgnoredDuringExecution',
  );
  return (listIn(required, 'nodeSelectorTerms') ?? []).flatMap((term) =>
    (listIn(term, 'matchExpressions') ?? []).map((expression) => textIn(expression, 'key')),
  );
}

function own(value: unknown, key: string): unknown {
  const object = plainObject(value);
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function isPresent(parent: Plain, key: string): boolean {
  const value = own(parent, key);
  return value !== undefined && value !== null;
}

const NOTHING: Plain = {};

/** An empty one where there is none; undefined where something else stands. */
function objectIn(value: unknown, key: string): Plain | undefined {
  const found = own(value, key) ?? undefined;
  return found === undefined ? NOTHING : plainObject(found);
}

/** An empty one where there is none; undefined where something else stands. */
function listIn(value: unknown, key: string): readonly unknown[] | undefined {
  const found = own(value, key) ?? [];
  return Array.isArray(found) ? (found as unknown[]) : undefined;
}

function textIn(value: unknown, key: string): string {
  const found = own(value, key);
  return typeof found === 'string' ? found : '';
}

function textsOf(object: Plain): Labels {
  const texts = Object.entries(object).map(
    ([key, value]) => [key, typeof value === 'string' ? value : ''] as const,
  );
  return new Map(texts);
}
