/** Workloads as they are listed: Jobs beside the JobSets that make them, and pods beside the Jobs that own them. */
import type { Pod } from '../../../domain/pods/pod.js';
import type { Document } from '../../documents/document.js';
import type { ReadWorkload, Workload } from '../pods/workload.js';

/** A workload with the document that it was read from. */
export interface ReadDocument extends ReadWorkload {
  readonly document: Document;
}

export function workloadsOf(read: readonly ReadDocument[]): readonly Workload[] {
  return read.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

/** A Job that is listed beside its JobSet says more of itself, but for the gang that the JobSet makes of all its Jobs. */
export function withJobSets(
  read: readonly ReadDocument[],
  ofJobSets: readonly ReadDocument[],
): readonly ReadDocument[] {
  const made = new Map(ofJobSets.map((each) => [jobKey(each), each.value]));
  const listed = new Set(read.map(jobKey));
  return [
    ...read.map((each) => {
      const gang = each.value?.gang ?? made.get(jobKey(each))?.gang;
      return each.value === undefined ? each : { ...each, value: { ...each.value, gang } };
    }),
    ...ofJobSets.map((each) => (listed.has(jobKey(each)) ? { ...each, value: undefined } : each)),
  ];
}

/** '' for what is no Job. */
function jobKey({ value }: ReadDocument): string {
  return value?.kind === 'Job' ? `${value.namespace}/${value.name}` : '';
}

/** Listed pods of Jobs that are gangs; those that the Jobs are still going to make have theirs from the template. */
export function withGangsOfJobs(pods: readonly Pod[], workloads: readonly Workload[]): readonly Pod[] {
  const gangs = new Map(
    workloads.flatMap(({ namespace, name, gang }): [string, string][] =>
      gang === undefined ? [] : [[`${namespace}/${name}`, gang]],
    ),
  );
  if (gangs.size === 0) return pods;
  return pods.map((pod) => {
    const { gang, namespace, owner } = pod;
    const key = owner?.kind === 'Job' ? gangs.get(`${namespace}/${owner.name}`) : undefined;
    return gang !== undefined || key === undefined ? pod : { ...pod, gang: { key, minMembers: 'all' } };
  });
}
