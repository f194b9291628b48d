import fc from 'fast-check';
import type { Document } from '../../../src/apis/documents/document.js';
import { decodeDaemonSet } from '../../../src/apis/kubernetes/workloads/daemon-set.js';
import { decodeNamespace } from '../../../src/apis/kubernetes/object/namespace.js';
import { decodeCSINode, decodeNode } from '../../../src/apis/kubernetes/nodes/node.js';
import { decodePodDisruptionBudget } from '../../../src/apis/kubernetes/pods/pod-disruption-budget.js';
import { decodePod } from '../../../src/apis/kubernetes/pods/pod.js';
import { decodePriorityClass } from '../../../src/apis/kubernetes/pods/priority-class.js';
import { readCluster } from '../../../src/apis/kubernetes/cluster/read-cluster.js';
import {
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
} from '../../../src/apis/kubernetes/volumes/storage.js';
import { decodeVolumeAttachment } from '../../../src/apis/kubernetes/volumes/storage.js';

const DECODERS = {
  decodePod,
  decodeDaemonSet,
  decodeNode: (value: unknown) => decodeNode(value),
  decodeCSINode,
  decodeNamespace,
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
  decodeVolumeAttachment,
  decodePriorityClass,
  decodePodDisruptionBudget,
};

/** Every key that the decoders look at, so that arbitrary objects reach deep into them. */
const KEYS =
  `metadata name namespace labels annotations ownerReferences controller uid kind spec status template containers initContainers
  resources requests limits cpu memory restartPolicy restartPolicyRules action ports hostPort containerPort hostNetwork overhead
  nodeSelector affinity nodeAffinity podAffinity podAntiAffinity requiredDuringSchedulingIgnoredDuringExecution matchFields
  preferredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms matchExpressions key operator values weight preference
  podAffinityTerm topologyKey labelSelector matchLabels namespaceSelector namespaces matchLabelKeys mismatchLabelKeys tolerations
  effect value topologySpreadConstraints maxSkew whenUnsatisfiable minDomains volumes persistentVolumeClaim claimName ephemeral
  volumeClaimTemplate volumeClaimTemplates priority priorityClassName schedulingGates resourceClaims containerStatuses conditions
  allocatedResources type reason phase nodeName taints allocatable capacity declaredFeatures drivers count csi driver allowedTopologies
  matchLabelExpressions provisioner accessModes storageClassName volumeName minAvailable maxUnavailable selector replicas parallelism
  source persistentVolumeName completions completionMode ordinals start suspend succeeded globalDefault`
    .split(/\s+/)
    .filter((key) => key !== '');

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'In',
    'Gt',
    'Exists',
    'Always',
    '1',
    '5',
    '1Gi',
    '-1',
    '50%',
    'NoSchedule',
    'DoNotSchedule',
    'Infeasible',
  ),
  fc.string({ maxLength: 8 }),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 9, withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: text }),
      tie('tree'),
      { maxKeys: 8 },
    ),
  ),
}));

/** An object with a name and something in every place that is looked at. */
const named = fc.record({ metadata: fc.constant({ name: 'x' }), spec: tree, status: tree, value: tree });

describe.each(Object.entries(DECODERS))('%s', (_, decode) => {
  test('never throws, on any JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), tree, named), (value) => {
        expect(Array.isArray(decode(value).findings)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('never throws, on anything that JavaScript has', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(decode(value).findings.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('decodePod', () => {
  test('survives nesting deeper than the stack', () => {
    let affinity: unknown = {};
    for (let depth = 0; depth < 100_000; depth++) affinity = { nodeAffinity: affinity };
    const pod = { metadata: { name: 'x' }, spec: { containers: [{ name: 'c' }], affinity } };
    expect(decodePod(pod).value?.name).toBe('x');
  });

  test('takes nothing from the prototype of objects', () => {
    const labels = JSON.parse('{"__proto__": "x", "constructor": "y"}') as unknown;
    const { value } = decodePod({ metadata: { name: 'x', labels }, spec: { containers: [{ name: 'c' }] } });
    expect(value?.spec.labels).toEqual(new Map([['constructor', 'y']]));
  });
});

describe('readCluster', () => {
  const kinds = [
    'v1 Pod',
    'v1 Node',
    'apps/v1 Deployment',
    'apps/v1 StatefulSet',
    'batch/v1 Job',
    'apps/v1 ReplicaSet',
    'policy/v1 PodDisruptionBudget',
  ];
  const document = fc
    .tuple(fc.constantFrom(...kinds), fc.constantFrom('a', 'b', ''), named)
    .map(([type, name, value]): Document => {
      const [apiVersion = '', kind = ''] = type.split(' ');
      const whole = { ...value, metadata: { name } };
      return {
        source: 's',
        title: `${kind}/${name}`,
        apiVersion,
        kind,
        name,
        value: whole,
        locate: () => undefined,
        locateInBlock: () => undefined,
      };
    });

  test('never throws, on any objects of the kinds it reads', () => {
    fc.assert(
      fc.property(fc.array(document, { maxLength: 6 }), (documents) => {
        const { cluster, issues } = readCluster(documents);
        expect(issues.filter((issue) => issue.message === '')).toEqual([]);
        for (const pod of cluster.pods) expect(pod.spec.requests.get('pods')).toBe(1);
      }),
      { numRuns: 300 },
    );
  });
});
