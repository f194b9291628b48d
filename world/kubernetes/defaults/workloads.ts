/** What workloads get that do not say it (k8s.io/kubernetes/pkg/apis/apps/v1 and batch/v1, defaults.go). */
import { isObject, objectAt, withDefaults, withValue, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { templateDefaults } from './pod-spec.js';

type Defaults = (object: KubeObject) => KubeObject;

/** Fields of the specification, and the template of its pods. */
function workload(defaults: (spec: JsonObject) => JsonObject): Defaults {
  return (object) => {
    const spec = objectAt(object, 'spec');
    const template = templateDefaults(spec['template']);
    return {
      ...object,
      spec: withDefaults({ ...spec, ...(template !== undefined && { template }) }, defaults(spec)),
    };
  };
}

const QUARTERS = { maxSurge: '25%', maxUnavailable: '25%' };
const ONE_BY_ONE = { maxSurge: 0, maxUnavailable: 1 };

/** The strategy's type, and for rolling updates how they roll. */
function rolling(spec: JsonObject, field: string, pace: JsonObject): JsonObject {
  const strategy = withDefaults(objectAt(spec, field), { type: 'RollingUpdate' });
  if (strategy['type'] !== 'RollingUpdate') return strategy;
  return { ...strategy, rollingUpdate: withDefaults(objectAt(strategy, 'rollingUpdate'), pace) };
}

const deployment: Defaults = (object) => {
  const filled = workload(() => ({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }))(
    object,
  );
  return withValue(filled, ['spec', 'strategy'], rolling(objectAt(filled, 'spec'), 'strategy', QUARTERS));
};

const statefulSet: Defaults = (object) => {
  const filled = workload(() => ({
    replicas: 1,
    revisionHistoryLimit: 10,
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  }))(object);
  return withValue(
    filled,
    ['spec', 'updateStrategy'],
    rolling(objectAt(filled, 'spec'), 'updateStrategy', { partition: 0 }),
  );
};

const daemonSet: Defaults = (object) => {
  const filled = workload(() => ({ revisionHistoryLimit: 10 }))(object);
  return withValue(
    filled,
    ['spec', 'updateStrategy'],
    rolling(objectAt(filled, 'spec'), 'updateStrategy', ONE_BY_ONE),
  );
};

/** The labels that tell a job's pods from those of a namesake; a selector of one's own needs manualSelector. */
const job: Defaults = (object) => {
  const filled = workload(({ completions, parallelism }) => ({
    ...(completions === undefined && parallelism === undefined && { completions: 1 }),
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  }))(object);
  if (objectAt(filled, 'spec')['manualSelector'] === true) return filled;
  const { uid, name } = object.metadata;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const known = objectAt(filled, 'spec', 'template', 'metadata', 'labels');
  const labelled = withValue(filled, ['spec', 'template', 'metadata', 'labels'], { ...known, ...labels });
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  return withValue(labelled, ['spec', 'selector'], selector);
};

const cronJob: Defaults = (object) => {
  const template = objectAt(object, 'spec', 'jobTemplate', 'spec', 'template');
  const filled = withDefaults(objectAt(object, 'spec'), {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const whole = { ...object, spec: filled };
  return isObject(template)
    ? withValue(whole, ['spec', 'jobTemplate', 'spec', 'template'], templateDefaults(template))
    : whole;
};

export const WORKLOAD_DEFAULTS: Readonly<Record<string, Defaults>> = {
  Deployment: deployment,
  ReplicaSet: workload(() => ({ replicas: 1 })),
  ReplicationController: workload(() => ({ replicas: 1 })),
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  CronJob: cronJob,
};
