/** A check of `berth doctor`, and what it is given to look at. */
import type { Policies } from '../../apis/policies/read-policies.js';
import type { Plain } from '../../apis/decode/plain.js';
import type { KubeRequest } from '../../adapters/kube/transport/index.js';
import type { CheckFinding } from '../../domain/records/check-finding.js';
import type { Check } from '../../ports/check.js';
import type { CloudSource } from '../../runtime/process/cloud-provider.js';
import type { Resource } from './subject/resources.js';

/** Objects of a cluster, or of manifests. Each is read once, however often it is asked for. */
export interface ObjectReader {
  /** All of them; of a kind that the cluster does not have, none. @throws PortError */
  list(resource: Resource, namespace?: string): Promise<readonly Plain[]>;
  /** undefined: there is none. @throws PortError */
  find(resource: Resource, name: string, namespace?: string): Promise<Plain | undefined>;
}

/** An answer of the API server. */
export interface Answered {
  readonly body: Plain;
  /** Until it was there. */
  readonly millis: number;
  /** The API server's time, in milliseconds since 1970; undefined where it does not say. */
  readonly serverTime: number | undefined;
}

/** A server that is reached over TLS, and what its client presents. */
export interface TlsTarget {
  readonly host: string;
  readonly port: number;
  /** In the server's certificate. */
  readonly serverName: string;
  /** PEM. */
  readonly ca: string;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Asked with an empty JSON object. */
  readonly path: string;
}

/** The outside beside the objects: only where there is a cluster. */
export interface LiveCluster {
  /** @throws PortError */
  ask(request: KubeRequest): Promise<Answered>;
  /** The HTTP status of an answer. @throws Error, where there is no connection or the certificate is not accepted. */
  connect(target: TlsTarget, signal: AbortSignal): Promise<number>;
  /** Milliseconds since 1970, by the clock of this computer. */
  now(): number;
  /** Milliseconds from an arbitrary start, for latencies. */
  monotonic(): number;
}

/** A kube-scheduler configuration that was given, or found in a ConfigMap. */
export interface SchedulerConfiguration {
  /** Where it is from: a file or `configmap/NAME`. */
  readonly source: string;
  readonly text: string;
}

export interface Subject {
  /** Berth's own. */
  readonly namespace: string;
  readonly objects: ObjectReader;
  /** undefined with `--offline`. */
  readonly live: LiveCluster | undefined;
  /** Files of `--scheduler-config`. */
  readonly schedulerConfigurations: readonly SchedulerConfiguration[];
  /** The policies there are, and what is wrong with them. @throws PortError */
  policies(): Promise<Policies>;
  /** The cloud of the installation; undefined where it names none, and with `--offline`. @throws PortError */
  cloud(): Promise<CloudSource | undefined>;
}

export interface DoctorCheck extends Check<Subject> {
  /** Whether manifests are enough for it. */
  readonly isOffline: boolean;
}

/** A check of manifests or of a cluster. */
export function check(name: string, look: Check<Subject>['look']): DoctorCheck {
  return { name, isOffline: true, look };
}

/** A check that needs a running cluster. */
export function liveCheck(
  name: string,
  look: (
    subject: Subject & { readonly live: LiveCluster },
    signal: AbortSignal,
  ) => Promise<readonly CheckFinding[]>,
): DoctorCheck {
  return {
    name,
    isOffline: false,
    look: (subject, signal) => {
      const { live } = subject;
      return live === undefined ? Promise.resolve([]) : look({ ...subject, live }, signal);
    },
  };
}
