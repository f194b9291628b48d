/** V1Pod → domain. */
import type { Pod, PodOwner, PodSpec } from '../../../domain/pods/pod.js';
import { hasObject, member, optionalChoice, optionalText, rootField, type Field } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readAnnotations, readLabels } from '../object/labels.js';
import { readObjectName, readOwner, type ObjectName } from '../object/metadata.js';
import { withoutHolds } from './held-tolerations.js';
import { pinOf, readGates, withoutPin } from './pod-gates.js';
import { podContext, type PodContext } from './pod-context.js';
import { readPodGang } from './pod-gang.js';
import { readPodSpec } from './spec/pod-spec.js';
import { specKey } from './spec/spec-key.js';

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;
/** Marks pods that a kubelet runs from files; their API objects only mirror them. */
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Decodes a pod: of a manifest, of the API server, or of a request to a webhook or extender. Never throws. Pods read
 * with one context share one PodSpec object where they were made from one template.
 */
export function decodePod(object: unknown, context: PodContext = podContext()): Decoded<Pod> {
  const pinnedTo = pinOf(object);
  const stripped = withoutHolds(pinnedTo === undefined ? object : withoutPin(object));
  const root = rootField(stripped);
  const name = readObjectName(root);
  const value = name === undefined ? undefined : readPod(root, { name, pinnedTo }, context);
  return { value, findings: root.findings };
}

function readPod(
  root: Field,
  { name, pinnedTo }: { readonly name: ObjectName; readonly pinnedTo: string | undefined },
  context: PodContext,
): Pod {
  const metadata = member(root, 'metadata');
  const specField = member(root, 'spec');
  const status = member(root, 'status');
  hasObject(status);
  const annotations = readAnnotations(member(metadata, 'annotations'));
  const nodeName = optionalText(member(specField, 'nodeName')) ?? '';
  const spec = sharedSpec(root, name, context);
  const owner = context.specs.ownerOf(spec, readOwner(metadata));
  const { schedulingGated, awaitsPlace } = readGates(specField);
  // Spelled out: V8 makes objects with a leading spread many times slower, and there are tens of thousands of them.
  return {
    namespace: name.namespace,
    name: name.name,
    uid: optionalText(member(metadata, 'uid')) ?? `Pod/${name.namespace}/${name.name}`,
    spec,
    owner,
    nodeName: nodeName === '' ? undefined : context.names.shared(nodeName),
    phase: optionalChoice(member(status, 'phase'), PHASES) ?? (nodeName === '' ? 'Pending' : 'Running'),
    schedulingGated,
    awaitsPlace,
    pinnedTo,
    mirror: annotations.has(MIRROR),
    terminating: member(metadata, 'deletionTimestamp').value !== undefined,
    annotations,
    gang: readPodGang(
      root,
      { namespace: name.namespace, labels: spec.labels, annotations, job: jobOf(owner) },
      context,
    ),
  };
}

function jobOf(owner: PodOwner | undefined): string | undefined {
  return owner?.kind === 'Job' ? owner.name : undefined;
}

/** A spec with findings is not shared: every pod that has them reports them. */
function sharedSpec(root: Field, name: ObjectName, context: PodContext): PodSpec {
  const key = specKey(root.value);
  const known = key === undefined ? undefined : context.specs.get(key);
  if (known !== undefined) return known;
  const before = root.findings.length;
  const labels = readLabels(member(member(root, 'metadata'), 'labels'));
  const identity = { namespace: name.namespace, name: name.name, labels };
  const spec = readPodSpec(member(root, 'spec'), member(root, 'status'), identity, context);
  if (key !== undefined && root.findings.length === before) context.specs.set(key, spec);
  return spec;
}
