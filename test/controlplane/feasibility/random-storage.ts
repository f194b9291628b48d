/** Random storage: classes, and claims in every state in which a pod may find one, with their volumes. */
import type { Manifest } from '../fixture/api/api-client.js';
import type { Chance } from './chance.js';
import { nodeName } from './random-nodes.js';
import { EBS, HOSTNAME, NAMESPACE_NAMES, OLD_ZONE, REGION, REGIONS, ZONE, ZONES } from './vocabulary.js';

/** Bound claims first, then those that wait for their pod, then those that no pod can use. */
export const CLAIM_STATES = [
  'anywhere',
  'zonal',
  'host',
  'labelled',
  'old-labelled',
  'once',
  'wait',
  'wait-zone',
  'wait-in-tree',
  'static',
  'immediate',
  'prebound',
  'lost',
  'terminating',
] as const;
export type ClaimState = (typeof CLAIM_STATES)[number];

const BOUND: readonly ClaimState[] = ['anywhere', 'zonal', 'host', 'labelled', 'old-labelled', 'once'];
const CLAIMS_PER_STATE = 3;
/** Keeps a claim that is being deleted. */
export const HOLD = 'example.com/hold';

/** Name of one of the claims that every namespace has in a state. */
export function claimName(chance: Chance, state: ClaimState): string {
  return `${state}-${String(chance.number(1, CLAIMS_PER_STATE))}`;
}

export interface Storage {
  readonly classes: readonly Manifest[];
  readonly volumes: readonly Manifest[];
  readonly claims: readonly Manifest[];
}

/** Classes `wait`, `wait-zone`, `wait-in-tree`, `static` and `immediate`; claims and volumes of every state. */
export function randomStorage(chance: Chance): Storage {
  const claims = NAMESPACE_NAMES.flatMap((namespace) =>
    CLAIM_STATES.flatMap((state) =>
      Array.from({ length: CLAIMS_PER_STATE }, (_, index) => ({
        namespace,
        state,
        name: `${state}-${String(index + 1)}`,
      })),
    ),
  );
  return {
    classes: classes(chance),
    volumes: [
      ...claims.filter(({ state }) => BOUND.includes(state)).map((claim) => boundVolume(chance, claim)),
      ...Array.from({ length: 6 }, (_, index) => freeVolume(chance, index)),
    ],
    claims: claims.map((claim) => claimManifest(chance, claim)),
  };
}

interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly state: ClaimState;
}

function classes(chance: Chance): readonly Manifest[] {
  const wait = { volumeBindingMode: 'WaitForFirstConsumer' };
  const [first, second] = chance.some(ZONES, 2);
  const zones = chance.one([
    [{ matchLabelExpressions: [{ key: ZONE, values: [first, second] }] }],
    [
      { matchLabelExpressions: [{ key: ZONE, values: [first] }] },
      {
        matchLabelExpressions: [
          { key: ZONE, values: [second] },
          { key: REGION, values: [REGIONS[0]] },
        ],
      },
    ],
  ]);
  return [
    { metadata: { name: 'wait' }, provisioner: EBS, ...wait },
    { metadata: { name: 'wait-zone' }, provisioner: EBS, allowedTopologies: zones, ...wait },
    { metadata: { name: 'wait-in-tree' }, provisioner: 'kubernetes.io/aws-ebs', ...wait },
    { metadata: { name: 'static' }, provisioner: 'kubernetes.io/no-provisioner', ...wait },
    { metadata: { name: 'immediate' }, provisioner: EBS, volumeBindingMode: 'Immediate' },
  ];
}

function volumeName({ namespace, name }: Claim): string {
  return `${namespace}-${name}`;
}

function claimManifest(chance: Chance, claim: Claim): Manifest {
  const { namespace, name, state } = claim;
  const isBound = BOUND.includes(state);
  const named = isBound || state === 'prebound' || state === 'lost';
  return {
    metadata: {
      name,
      namespace,
      ...((isBound || state === 'lost') && { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
      ...(state === 'terminating' && { finalizers: [HOLD] }),
    },
    spec: {
      accessModes: [state === 'once' ? 'ReadWriteOncePod' : 'ReadWriteOnce'],
      resources: { requests: { storage: state === 'static' ? `${String(chance.number(1, 12))}Gi` : '1Gi' } },
      storageClassName: isBound || state === 'lost' ? '' : classOf(state),
      ...(named && { volumeName: volumeName(claim) }),
    },
  };
}

function classOf(state: ClaimState): string {
  if (state === 'prebound' || state === 'terminating') return 'wait';
  return state;
}

function boundVolume(chance: Chance, claim: Claim): Manifest {
  const { namespace, name, state } = claim;
  const labels: Partial<Record<ClaimState, object>> = {
    labelled: { [ZONE]: chance.one(ZONES), ...(chance.often(0.3) && { [REGION]: REGIONS[0] }) },
    'old-labelled': { [OLD_ZONE]: chance.some(ZONES, 2).join('__') },
  };
  return {
    metadata: { name: volumeName(claim), labels: labels[state] ?? {} },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: [state === 'once' ? 'ReadWriteOncePod' : 'ReadWriteOnce'],
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name },
      storageClassName: '',
      csi: { driver: EBS, volumeHandle: volumeName(claim) },
      ...affinity(chance, state),
    },
  };
}

function affinity(chance: Chance, state: ClaimState): object {
  if (state === 'zonal') return required(ZONE, chance.some(ZONES, 2));
  if (state === 'host')
    return required(
      HOSTNAME,
      [0, 10, 20, 30, 40, 50, 60].map((first) => nodeName(first + chance.number(0, 9))),
    );
  return {};
}

function required(key: string, values: readonly string[]): object {
  return {
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] },
    },
  };
}

/** A volume that somebody made by hand on some nodes and that nobody uses yet. */
function freeVolume(chance: Chance, index: number): Manifest {
  const nodes = Array.from({ length: 20 }, () => nodeName(chance.number(0, 69)));
  return {
    metadata: { name: `free-${String(index)}` },
    spec: {
      capacity: { storage: `${String(chance.number(2, 10))}Gi` },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'static',
      local: { path: '/data' },
      ...required(HOSTNAME, [...new Set(nodes)]),
    },
  };
}
