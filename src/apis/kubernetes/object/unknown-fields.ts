/** Misspelt fields of pods and workloads, which would otherwise plan something else than was meant. */
import { nearest } from '../../decode/nearest.js';
import { elements, member, warn, type Field } from './field.js';

interface Shape {
  /** Fields that decide where a pod may go, or how many there are. */
  readonly matter: readonly string[];
  /** Other fields of Kubernetes 1.36 that are spelled like one of those. */
  readonly alike: readonly string[];
}

const POD: Shape = {
  matter: [
    ...['affinity', 'containers', 'initContainers', 'nodeName', 'nodeSelector', 'overhead', 'priority'],
    ...['priorityClassName', 'resources', 'schedulerName', 'schedulingGates', 'tolerations'],
    ...['topologySpreadConstraints', 'volumes'],
  ],
  alike: ['schedulingGroup'],
};
const CONTAINER: Shape = {
  matter: ['resources', 'ports', 'restartPolicy'],
  alike: ['resizePolicy', 'restartPolicyRules'],
};
const RESOURCES: Shape = { matter: ['requests', 'limits'], alike: [] };
const WORKLOAD: Shape = {
  matter: ['replicas', 'template', 'parallelism', 'completions', 'completionMode', 'volumeClaimTemplates'],
  alike: [],
};

/** Warns of fields of a pod's spec, its containers and their resources that look like misspelt ones. */
export function warnOfUnknownPodFields(spec: Field): void {
  warnOfUnknownFields(spec, POD);
  for (const name of ['initContainers', 'containers']) {
    const list = member(spec, name);
    for (const container of Array.isArray(list.value) ? elements(list) : []) {
      warnOfUnknownFields(container, CONTAINER);
      warnOfUnknownFields(member(container, 'resources'), RESOURCES);
    }
  }
}

/** The same for the spec of a Deployment, ReplicaSet, StatefulSet or Job. */
export function warnOfUnknownWorkloadFields(spec: Field): void {
  warnOfUnknownFields(spec, WORKLOAD);
}

/** Only what is near a field that matters: whatever else is unknown here may be new in Kubernetes. */
function warnOfUnknownFields(field: Field, { matter, alike }: Shape): void {
  const { value } = field;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const key of Object.keys(value)) {
    if (matter.includes(key) || alike.includes(key)) continue;
    const guess = guessOf(key, matter);
    if (guess === undefined) continue;
    const slip: Field = { value: undefined, key, parent: field, findings: field.findings };
    warn(slip, 'unknown-field', 'is not a known field', { guess, at: 'key' });
  }
}

/** Pods have the same few fields over and over; names of other fields than these are compared each time. */
const MOST_GUESSES = 512;
const guesses = new Map<readonly string[], Map<string, string | undefined>>();

/** The field that was probably meant; remembered, since comparing spellings is most of what reading a container costs. */
function guessOf(key: string, matter: readonly string[]): string | undefined {
  const known = guesses.get(matter) ?? new Map<string, string | undefined>();
  guesses.set(matter, known);
  if (known.has(key)) return known.get(key);
  const guess = nearest(key, matter);
  if (known.size < MOST_GUESSES) known.set(key, guess);
  return guess;
}
