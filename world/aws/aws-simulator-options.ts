/** Options of the simulated cloud, with their defaults. */
import { catalogueFor, type Catalogue } from '../../src/clouds/aws/catalogue/index.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Random } from '../../src/ports/random.js';
import type { MillisSpan } from './model/span.js';

export interface AwsSimulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The embedded one for the region when not given. */
  readonly catalogue?: Catalogue | undefined;
  readonly region?: string | undefined;
  readonly account?: string | undefined;
  readonly clusterName?: string | undefined;
  /** The queue that instance events go to. */
  readonly queueName?: string | undefined;
  /** `1.34`. */
  readonly kubernetesVersion?: string | undefined;
  readonly clusterEndpoint?: string | undefined;
  /** Of the addresses of nodes, pods and Services; `ipv4` unless given. */
  readonly ipFamily?: 'ipv4' | 'ipv6' | undefined;
  /** Base64. */
  readonly certificateAuthority?: string | undefined;
  /** Instances in every pool to begin with. */
  readonly stock?: number | undefined;
  /** From launch to running. */
  readonly pendingMillis?: MillisSpan | undefined;
  /** From shutting-down to terminated. */
  readonly shutdownMillis?: MillisSpan | undefined;
  /** From a write to the reads that see it. */
  readonly lagMillis?: MillisSpan | undefined;
  /** From an instance event until it is in the queue. */
  readonly eventMillis?: MillisSpan | undefined;
  /** Whether EC2's request limits hold. */
  readonly limits?: boolean | undefined;
  /** Share of the catalogue's spot price by which it moves with time; 0: it stands still. */
  readonly spotPriceMovement?: number | undefined;
  /** Share of queue messages that are there twice. */
  readonly duplicates?: number | undefined;
  /** Share of receives that take messages in any order. */
  readonly reordering?: number | undefined;
  /** Quotas of the account. */
  readonly spotInstanceLimit?: number | undefined;
  readonly vcpuLimit?: number | undefined;
}

type WithoutUndefined<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** All of them chosen. */
export function withDefaults(options: AwsSimulatorOptions): WithoutUndefined<AwsSimulatorOptions> {
  const region = options.region ?? options.catalogue?.region ?? 'eu-west-3';
  return {
    clock: options.clock,
    random: options.random,
    region,
    catalogue: options.catalogue ?? catalogueFor(region),
    ...names(options),
    ...times(options),
    ...amounts(options),
  };
}

function names(options: AwsSimulatorOptions) {
  return {
    account: options.account ?? '000000000000',
    clusterName: options.clusterName ?? 'berth-demo',
    queueName: options.queueName ?? 'berth-demo',
    kubernetesVersion: options.kubernetesVersion ?? '1.36',
    clusterEndpoint: options.clusterEndpoint ?? 'https://127.0.0.1:6443',
    ipFamily: options.ipFamily ?? 'ipv4',
    certificateAuthority: options.certificateAuthority ?? Buffer.from('no certificate').toString('base64'),
  };
}

function times(options: AwsSimulatorOptions) {
  return {
    pendingMillis: options.pendingMillis ?? { from: 5_000, to: 15_000 },
    shutdownMillis: options.shutdownMillis ?? { from: 10_000, to: 60_000 },
    lagMillis: options.lagMillis ?? { from: 0, to: 0 },
    eventMillis: options.eventMillis ?? { from: 200, to: 2_000 },
  };
}

function amounts(options: AwsSimulatorOptions) {
  return {
    stock: options.stock ?? Infinity,
    limits: options.limits ?? true,
    spotPriceMovement: options.spotPriceMovement ?? 0.1,
    duplicates: options.duplicates ?? 0,
    reordering: options.reordering ?? 0,
    spotInstanceLimit: options.spotInstanceLimit ?? Infinity,
    vcpuLimit: options.vcpuLimit ?? Infinity,
  };
}
