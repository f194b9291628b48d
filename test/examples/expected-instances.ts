/** What each example is worth: the instances that its manifests must lead to, in USD/h of eu-west-3, by hand. */

/** One instance to launch. */
export interface Instance {
  readonly nodePool: string;
  /** The first choice. */
  readonly type: string;
  readonly zones: readonly string[];
  readonly capacityTypes: readonly string[];
  /** USD/h of the first choice. */
  readonly hourlyPrice: number;
  readonly pods: number;
}

export interface Expected {
  readonly instances: readonly Instance[];
  /** USD/h, rounded to the millionth. */
  readonly hourly: string;
}

const A = 'eu-west-3a';
const B = 'eu-west-3b';
const C = 'eu-west-3c';

const spot = { zones: [A, B, C], capacityTypes: ['spot'] };
const onDemand = { zones: [A, B, C], capacityTypes: ['on-demand'] };
const either = { zones: [A, B, C], capacityTypes: ['spot', 'on-demand'] };

const smallArm = { type: 't4g.small', zones: [A], capacityTypes: ['on-demand'], hourlyPrice: 0.019656 };
const gpu = { ...onDemand, type: 'g6.xlarge', hourlyPrice: 0.941616 };
const perZone = { type: 'c6g.xlarge', capacityTypes: ['spot', 'on-demand'], hourlyPrice: 0.060466, pods: 3 };
const database = { type: 'm5a.large', capacityTypes: ['on-demand'], hourlyPrice: 0.10062, pods: 1 };

/** Example → its instances, in the order of their names. */
export const EXPECTED: Readonly<Record<string, Expected>> = {
  // A t4g.small has 1930m and 1359 MiB for pods, so each holds one; a t4g.xlarge would hold all three for 0.157248.
  'inflate-arm': {
    instances: [1, 2, 3].map(() => ({ ...smallArm, nodePool: 'inflate-arm', pods: 1 })),
    hourly: '0.058968',
  },
  // 8 GiB do not fit on a large (6903 MiB for pods); an xlarge holds one pod (0.085363), a 2xlarge all three.
  'high-mem-app': {
    instances: [{ ...either, nodePool: 'high-mem-app', type: 'm5.2xlarge', hourlyPrice: 0.170726, pods: 3 }],
    hourly: '0.170726',
  },
  // Of the c and m families, c5a has the lowest price per CPU; two CPUs each, so a 2xlarge holds three and an xlarge one.
  'ci-runner': {
    instances: [{ ...spot, nodePool: 'ci-runner', type: 'c5a.2xlarge', hourlyPrice: 0.133333, pods: 3 }],
    hourly: '0.133333',
  },
  // The cheapest instance with one GPU; four GPUs on one instance cost 5.383872.
  gpu: {
    instances: [1, 2].map(() => ({ ...gpu, nodePool: 'gpu', pods: 1 })),
    hourly: '1.883232',
  },
  // The reserved pool's limit of 8 CPUs is one m6i.2xlarge, which holds three of the six pods.
  'weighted-reserved': {
    instances: [
      { ...either, nodePool: 'overflow', type: 'c5a.2xlarge', hourlyPrice: 0.133333, pods: 3 },
      { ...onDemand, nodePool: 'reserved', type: 'm6i.2xlarge', hourlyPrice: 0.44928, pods: 3 },
    ],
    hourly: '0.582613',
  },
  // Beside a training pod of 2 CPUs there are 1920m left: the notebook's one CPU costs nothing there.
  'weighted-teams': {
    instances: [
      { ...spot, nodePool: 'batch-team', type: 'c5a.2xlarge', hourlyPrice: 0.133333, pods: 3 },
      { ...gpu, nodePool: 'gpu-team', pods: 2 },
      { ...gpu, nodePool: 'gpu-team', pods: 1 },
    ],
    hourly: '2.016565',
  },
  // 1.5 of 1.93 CPUs, 3 of 6.7 GiB.
  'minimal-m5': {
    instances: [{ ...onDemand, nodePool: 'minimal-m5', type: 'm5.large', hourlyPrice: 0.11232, pods: 3 }],
    hourly: '0.11232',
  },
  // Three pods per zone: a c6g.xlarge has 3920m for them; three c6g.large would cost 0.090699.
  flexible: {
    instances: [
      { ...perZone, nodePool: 'flexible', zones: [A] },
      { ...perZone, nodePool: 'flexible', zones: [B] },
      { ...perZone, nodePool: 'flexible', zones: [C] },
    ],
    hourly: '0.181398',
  },
  'four-tiers': {
    instances: [
      { ...either, nodePool: 'tier-gpu', type: 'g4dn.xlarge', hourlyPrice: 0.240014, pods: 1 },
      // 14 CPUs: a 4xlarge has 15.89; two 2xlarge and one xlarge would cost 0.333333.
      { ...spot, nodePool: 'tier-nightly-burst', type: 'c5a.4xlarge', hourlyPrice: 0.266666, pods: 7 },
      // Spread over zones, so one instance each; c instances of this size have too little memory, and are not in the pool.
      { ...database, nodePool: 'tier-stateful', zones: [A] },
      { ...database, nodePool: 'tier-stateful', zones: [B] },
      { ...either, nodePool: 'tier-stateless', type: 'c5a.xlarge', hourlyPrice: 0.066667, pods: 3 },
    ],
    hourly: '0.774587',
  },
  'custom-ami': {
    instances: [{ ...onDemand, nodePool: 'custom-ami', type: 'm6i.xlarge', hourlyPrice: 0.22464, pods: 3 }],
    hourly: '0.22464',
  },
  'zonal-volume': {
    instances: [{ ...database, nodePool: 'zonal-volume', zones: [B] }],
    hourly: '0.10062',
  },
  // amd64 by the old default: Graviton's c6g.xlarge would be cheaper, at 0.060466.
  'v1alpha5-default': {
    instances: [
      { ...spot, nodePool: 'v1alpha5-default', type: 'c5a.xlarge', hourlyPrice: 0.066667, pods: 3 },
    ],
    hourly: '0.066667',
  },
};
