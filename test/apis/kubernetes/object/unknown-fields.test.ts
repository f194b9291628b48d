/** Misspelt fields of pods and workloads. */
import { rootField } from '../../../../src/apis/kubernetes/object/field.js';
import {
  warnOfUnknownPodFields,
  warnOfUnknownWorkloadFields,
} from '../../../../src/apis/kubernetes/object/unknown-fields.js';

/** Fields of Kubernetes 1.36 as its API reference lists them. */
const POD_SPEC = `activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy
  enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride
  imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName
  readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup
  securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain
  terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes workloadRef`;
const CONTAINER = `args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe
  resizePolicy resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce
  terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir`;
const WORKLOAD = `activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy
  manualSelector maxFailedIndexes minReadySeconds ordinals parallelism paused persistentVolumeClaimRetentionPolicy
  podFailurePolicy podManagementPolicy podReplacementPolicy progressDeadlineSeconds replicas revisionHistoryLimit
  selector serviceName strategy successPolicy suspend template ttlSecondsAfterFinished updateStrategy
  volumeClaimTemplates`;

function fields(names: string): Record<string, unknown> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, {}]));
}

function podWarnings(spec: unknown): readonly string[] {
  const field = rootField(spec);
  warnOfUnknownPodFields(field);
  return field.findings.map(({ path, guess }) => `${path.join('.')}: ${guess ?? '-'}`);
}

describe('misspelt fields', () => {
  test('are reported with what was probably meant', () => {
    const resources = { request: {}, limit: {} };
    const spec = { nodeSelectr: {}, toleration: [], containers: [{ resource: {} }, { resources }] };
    expect(podWarnings(spec)).toEqual([
      'nodeSelectr: nodeSelector',
      'toleration: tolerations',
      'containers.0.resource: resources',
      'containers.1.resources.request: requests',
      'containers.1.resources.limit: limits',
    ]);
    const workload = rootField({ replica: 3 });
    warnOfUnknownWorkloadFields(workload);
    expect(workload.findings).toMatchObject([
      { severity: 'warning', code: 'unknown-field', path: ['replica'] },
    ]);
  });

  test('are none of the fields that Kubernetes has', () => {
    const container = { ...fields(CONTAINER), resources: fields('requests limits claims') };
    const lists = { containers: [container], initContainers: [container] };
    expect(podWarnings({ ...fields(POD_SPEC), ...lists })).toEqual([]);
    const workload = rootField(fields(WORKLOAD));
    warnOfUnknownWorkloadFields(workload);
    expect(workload.findings).toEqual([]);
  });

  test('are not looked for where there is no object', () => {
    for (const spec of [undefined, 'text', [], { containers: 'x', initContainers: [null, 3] }])
      expect(podWarnings(spec)).toEqual([]);
  });
});
