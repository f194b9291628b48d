/** Pods made from a workload's template: one spec for all of them, as far as nothing asks for their differences. */
import type { PodGang } from '../../../domain/pods/gang.js';
import type { Labels } from '../../../domain/values/labels.js';
import type { Pod, PodSpec } from '../../../domain/pods/pod.js';
import type { VolumeUse } from '../../../domain/pods/volume.js';
import { elements, member, silenced, type Field } from '../object/field.js';
import { readAnnotations, readLabels } from '../object/labels.js';
import type { PodContext } from '../pods/pod-context.js';
import { readPodGang, type GangIdentity } from '../pods/pod-gang.js';
import { readGates } from '../pods/pod-gates.js';
import { readPodSpec } from '../pods/spec/pod-spec.js';
import { claimToMake, hasEphemeralVolumes, readVolumes } from '../volumes/pod-volumes.js';
import type { Workload } from '../pods/workload.js';

/** Labels that differ from pod to pod of one workload. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
const JOB_NAMES = ['batch.kubernetes.io/job-name', 'job-name'];

/** Whether the text names a label by which pods of one workload differ. */
export function namesOwnLabel(text: string): boolean {
  return [POD_NAME, POD_INDEX, COMPLETION_INDEX].some((label) => text.includes(label));
}

export interface TemplateOptions {
  /** Labels that the workload's controller adds to every pod. */
  readonly labels: Labels;
  /** Whether pods must carry the labels by which they differ. */
  readonly ownLabels: boolean;
}

export class PodTemplate {
  readonly #workload: Workload;
  readonly #context: PodContext;
  readonly #options: TemplateOptions;
  readonly #spec: Field;
  /** As read for the template itself: reports once what is wrong in it. */
  readonly #shared: PodSpec;
  readonly #common: Pick<
    Pod,
    | 'owner'
    | 'nodeName'
    | 'phase'
    | 'schedulingGated'
    | 'awaitsPlace'
    | 'pinnedTo'
    | 'mirror'
    | 'terminating'
    | 'annotations'
    | 'gang'
  >;

  constructor(workload: Workload, context: PodContext, options: TemplateOptions) {
    const metadata = member(workload.template, 'metadata');
    this.#workload = workload;
    this.#context = context;
    const labels = new Map([
      ...readLabels(member(metadata, 'labels')),
      ...jobLabels(workload),
      ...workload.podLabels,
      ...options.labels,
    ]);
    this.#options = { ...options, labels };
    this.#spec = member(workload.template, 'spec');
    const { namespace, name } = workload;
    this.#shared = readPodSpec(this.#spec, noStatus(this.#spec), { namespace, name, labels }, context);
    const annotations = readAnnotations(member(metadata, 'annotations'));
    this.#common = {
      owner: { kind: workload.kind, name },
      nodeName: undefined,
      phase: 'Pending',
      ...readGates(this.#spec),
      pinnedTo: undefined,
      mirror: false,
      terminating: false,
      annotations,
      gang: gangOf(workload, { namespace, labels, annotations }, context),
    };
  }

  /** The pod `<workload>-<index>`. */
  pod(index: number): Pod {
    const { kind, namespace, name: owner } = this.#workload;
    const name = `${owner}-${String(index)}`;
    return {
      namespace,
      name,
      uid: `${kind}/${namespace}/${name}`,
      spec: this.#specOf(name, index),
      ...this.#common,
    };
  }

  #specOf(name: string, index: number): PodSpec {
    const own = this.#options.ownLabels ? this.#ownLabels(name, index) : [];
    const spec = own.length === 0 ? this.#shared : this.#readAgain(name, own);
    return this.#hasOwnClaims() ? { ...spec, volumes: this.#volumesOf(name) } : spec;
  }

  #ownLabels(name: string, index: number): [string, string][] {
    const { kind, completionMode } = this.#workload;
    if (kind === 'StatefulSet')
      return [
        [POD_NAME, name],
        [POD_INDEX, String(index)],
      ];
    return completionMode === 'Indexed' ? [[COMPLETION_INDEX, String(index)]] : [];
  }

  #readAgain(name: string, own: [string, string][]): PodSpec {
    const spec = silenced(this.#spec);
    const identity = {
      namespace: this.#workload.namespace,
      name,
      labels: new Map([...this.#options.labels, ...own]),
    };
    return readPodSpec(spec, noStatus(spec), identity, this.#context);
  }

  #hasOwnClaims(): boolean {
    return this.#workload.claimTemplates.length > 0 || hasEphemeralVolumes(this.#spec);
  }

  /** A claim template takes the place of the template's volume of its name (StatefulSet controller). */
  #volumesOf(pod: string): readonly VolumeUse[] {
    const { namespace, claimTemplates } = this.#workload;
    const { storage } = this.#context;
    const replaced = new Set(claimTemplates.map((template) => template.name));
    const others = elements(member(silenced(this.#spec), 'volumes')).filter(
      (volume) => !replaced.has(String(member(volume, 'name').value)),
    );
    const claims = claimTemplates.map((template) =>
      claimToMake({ namespace, name: `${template.name}-${pod}` }, template.storageClassName, storage),
    );
    return [...claims, ...readVolumes(others, { namespace, name: pod }, storage)];
  }
}

/** What the template says, else what the workload does. */
function gangOf(
  { kind, name, template, gang }: Workload,
  identity: Omit<GangIdentity, 'job'>,
  context: PodContext,
): PodGang | undefined {
  const job = kind === 'Job' ? name : undefined;
  const own = readPodGang(template, { ...identity, job }, context);
  return own ?? (gang === undefined ? undefined : { key: gang, minMembers: 'all' });
}

function jobLabels(workload: Workload): [string, string][] {
  return workload.kind === 'Job' ? JOB_NAMES.map((key) => [key, workload.name]) : [];
}

function noStatus(spec: Field): Field {
  return { value: undefined, key: 'status', parent: undefined, findings: spec.findings };
}
