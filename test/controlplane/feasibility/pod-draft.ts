/** A pod manifest in the making: kinds of constraints add to it one after the other. */
import type { Manifest } from '../fixture/api/api-client.js';
import type { Chance } from './chance.js';
import { NAMESPACE_NAMES, podLabels } from './vocabulary.js';

type Labels = Readonly<Record<string, string>>;
type Amounts = Record<string, string>;

export interface DraftContainer {
  readonly name: string;
  readonly image: 'x';
  readonly resources: { readonly requests: Amounts; readonly limits: Amounts };
  readonly ports: DraftPort[];
  restartPolicy?: 'Always' | 'Never';
  restartPolicyRules?: readonly object[];
}

export interface DraftPort {
  readonly containerPort: number;
  readonly [field: string]: unknown;
}

export interface DraftVolume {
  readonly name: string;
  readonly [source: string]: unknown;
}

/** Fields are added to, never replaced, so that several kinds can share a pod. */
export class PodDraft {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly container: DraftContainer = container('main');
  readonly initContainers: DraftContainer[] = [];
  readonly nodeSelector: Record<string, string> = {};
  /** Further fields of the spec. */
  readonly more: Record<string, unknown> = {};
  readonly nodeTerms: { matchExpressions: object[]; matchFields: object[] }[] = [];
  readonly podAffinity: object[] = [];
  readonly podAntiAffinity: object[] = [];
  readonly tolerations: object[] = [];
  readonly spread: object[] = [];
  readonly volumes: DraftVolume[] = [];

  constructor(chance: Chance, name: string) {
    this.name = name;
    this.namespace = chance.one(NAMESPACE_NAMES);
    this.labels = podLabels(chance);
  }

  addInitContainer(requests: Amounts, restartPolicy?: 'Always'): void {
    const made = container(`init-${String(this.initContainers.length)}`);
    Object.assign(made.resources.requests, requests);
    if (restartPolicy !== undefined) made.restartPolicy = restartPolicy;
    this.initContainers.push(made);
  }

  /** Every number once, since the API server takes no port twice. */
  addPort(port: DraftPort): void {
    const { ports } = this.container;
    if (!ports.some(({ containerPort }) => containerPort === port.containerPort)) ports.push(port);
  }

  addClaim(claimName: string): void {
    this.volumes.push({ name: `v${String(this.volumes.length)}`, persistentVolumeClaim: { claimName } });
  }

  /** All terms get the expression, since one of them is enough for the node. */
  addExpression(part: { readonly expression?: object; readonly field?: object }): void {
    if (this.nodeTerms.length === 0) this.nodeTerms.push({ matchExpressions: [], matchFields: [] });
    for (const term of this.nodeTerms) {
      if (part.expression !== undefined) term.matchExpressions.push(part.expression);
      if (part.field !== undefined) term.matchFields.push(part.field);
    }
  }

  manifest(): Manifest {
    const { name, namespace, labels } = this;
    return { metadata: { name, namespace, labels }, spec: { ...this.#spec(), ...this.more } };
  }

  #spec(): object {
    const terms = {
      nodeAffinity: this.nodeTerms.length > 0 && {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: this.nodeTerms },
      },
      podAffinity: required(this.podAffinity),
      podAntiAffinity: required(this.podAntiAffinity),
    };
    return {
      containers: [this.container],
      initContainers: this.initContainers,
      nodeSelector: this.nodeSelector,
      affinity: Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== false)),
      tolerations: this.tolerations,
      topologySpreadConstraints: this.spread,
      volumes: this.volumes,
      terminationGracePeriodSeconds: 3600,
    };
  }
}

function required(terms: readonly object[]): object | false {
  return terms.length > 0 && { requiredDuringSchedulingIgnoredDuringExecution: terms };
}

function container(name: string): DraftContainer {
  return { name, image: 'x', resources: { requests: {}, limits: {} }, ports: [] };
}
