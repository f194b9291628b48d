/** JobSets (jobset.x-k8s.io): groups of Jobs that are made and end together, as the workloads that its controller makes of them. */
import type { Labels } from '../../../domain/values/labels.js';
import {
  elements,
  flag,
  hasObject,
  member,
  optionalInteger,
  requiredText,
  rootField,
  silenced,
  type Field,
} from '../object/field.js';
import { readAnnotations, readLabels } from '../object/labels.js';
import { readObjectName, type ObjectName } from '../object/metadata.js';
import { isGang, jobGangKey, JOB_SET_NAME } from '../pods/pod-gang.js';
import { readJob, type ReadWorkload, type Workload } from '../pods/workload.js';

const REPLICATED_JOB_NAME = 'jobset.sigs.k8s.io/replicatedjob-name';
const REPLICATED_JOB_REPLICAS = 'jobset.sigs.k8s.io/replicatedjob-replicas';
const JOB_INDEX = 'jobset.sigs.k8s.io/job-index';
/** More than any JobSet has; keeps a mistyped number from filling the memory. */
const MOST_JOBS = 100_000;

/** Reads a JobSet as its Jobs `<jobset>-<replicated job>-<index>`; none while it is suspended or once it has ended. */
export function readJobSet(object: unknown): readonly ReadWorkload[] {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return [{ value: undefined, findings: root.findings }];
  const spec = member(root, 'spec');
  hasObject(spec);
  const metadata = member(root, 'metadata');
  const isOneGang = isGang(metadata, readAnnotations(member(metadata, 'annotations')));
  const jobs = isOver(spec, member(root, 'status'))
    ? []
    : elements(member(spec, 'replicatedJobs')).flatMap((job) => replicatedJobs(job, name, isOneGang));
  // All of them share the findings of the JobSet, which are reported once.
  const [first, ...others] = jobs;
  return [
    { value: first, findings: root.findings },
    ...others.map((value): ReadWorkload => ({ value, findings: [] })),
  ];
}

function isOver(spec: Field, status: Field): boolean {
  if (flag(member(spec, 'suspend'))) return true;
  return elements(member(status, 'conditions')).some((condition) => {
    const type = member(condition, 'type').value;
    return (type === 'Completed' || type === 'Failed') && member(condition, 'status').value === 'True';
  });
}

function replicatedJobs(field: Field, jobSet: ObjectName, isOneGang: boolean): readonly Workload[] {
  const name = requiredText(member(field, 'name'));
  const replicas = optionalInteger(member(field, 'replicas'), 0, MOST_JOBS) ?? 1;
  const job = member(field, 'template');
  const metadata = member(job, 'metadata');
  const spec = member(job, 'spec');
  const template = member(spec, 'template');
  const annotations = readAnnotations(member(metadata, 'annotations'));
  const common = {
    kind: 'Job' as const,
    namespace: jobSet.namespace,
    annotations,
    owner: { kind: 'JobSet', name: jobSet.name },
    ...readJob(spec, { ...member(field, 'status'), value: undefined }),
    firstOrdinal: 0,
    claimTemplates: [],
  };
  const given = readLabels(member(metadata, 'labels'));
  const isGangOfAll = isGang(metadata, annotations) || isOneGang;
  return Array.from({ length: replicas }, (_, index): Workload => {
    const added: Labels = new Map([
      [JOB_SET_NAME, jobSet.name],
      [REPLICATED_JOB_NAME, name],
      [REPLICATED_JOB_REPLICAS, String(replicas)],
      [JOB_INDEX, String(index)],
    ]);
    return {
      ...common,
      // What is wrong with it is reported once.
      template: index === 0 ? template : silenced(template),
      name: `${jobSet.name}-${name}-${String(index)}`,
      labels: new Map([...given, ...added]),
      podLabels: added,
      gang: isGangOfAll ? jobGangKey(jobSet.namespace, added, undefined) : undefined,
    };
  });
}
