/** Settings of the kubelet that are CEL expressions: maxPods, kubeReserved and systemReserved, by instance type. */
import type { KubeletDocument } from '../../../apis/fields/kubelet.js';
import {
  CPU,
  EPHEMERAL_STORAGE,
  formatAmount,
  MEMORY,
  type ResourceList,
} from '../../../domain/values/resources.js';
import { compileExpression, type InstanceVariables } from './expressions.js';
import type { KubeletSettings } from './node-settings.js';

/** Those of one node class. */
export interface KubeletExpressions {
  readonly maxPods: string | undefined;
  /** Resource → expression. */
  readonly kubeReserved: ReadonlyMap<string, string>;
  readonly systemReserved: ReadonlyMap<string, string>;
}

/** A setting that is an expression. */
interface Setting {
  /** In spec.kubelet. */
  readonly path: readonly string[];
  readonly text: string;
}

/** The kubelet's type of maxPods is an int32. */
const MOST_PODS = 2 ** 31 - 1;

/** What a number of an expression means by resource, and the step that it is rounded up to so that launch templates are few. */
const UNITS: ReadonlyMap<string, { readonly step: number; readonly unit: number }> = new Map([
  [CPU, { step: 10, unit: 1 }],
  [MEMORY, { step: 16, unit: 2 ** 20 }],
  [EPHEMERAL_STORAGE, { step: 1, unit: 2 ** 30 }],
]);

function settingsOf({ maxPods, kubeReserved, systemReserved }: KubeletExpressions): readonly Setting[] {
  const entries = (field: string, map: ReadonlyMap<string, string>): readonly Setting[] =>
    [...map].map(([resource, text]) => ({ path: [field, resource], text }));
  return [
    ...(maxPods === undefined ? [] : [{ path: ['maxPods'], text: maxPods }]),
    ...entries('kubeReserved', kubeReserved),
    ...entries('systemReserved', systemReserved),
  ];
}

/** Settings that are expressions, in words. */
export function describeExpressions(expressions: KubeletExpressions): string {
  return settingsOf(expressions)
    .map(({ path }) => `spec.kubelet.${path.join('.')}`)
    .join(', ');
}

/** What is wrong with expressions whatever the instance type, each with its path in spec.kubelet. */
export function compileProblems(
  expressions: KubeletExpressions,
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  return settingsOf(expressions).flatMap(({ path, text }) => {
    const compiled = compileExpression(text);
    return 'problem' in compiled ? [{ path, text: `(${JSON.stringify(text)}) ${compiled.problem}` }] : [];
  });
}

/** The settings of one instance type. */
export interface ResolvedKubelet {
  /** With numbers for expressions; where there is none, as if the setting were not there. */
  readonly kubelet: KubeletSettings;
  /** Sentences on expressions that have no value for this type; empty where all have. */
  readonly problems: readonly string[];
}

/**
 * @param variables but for max_pods
 * @param podsOf the most pods with these settings: max_pods is that of the image in maxPods itself, and what comes of it in the others
 */
export function resolveKubelet(
  kubelet: KubeletSettings,
  variables: Omit<InstanceVariables, 'max_pods'>,
  podsOf: (kubelet: KubeletSettings) => number,
): ResolvedKubelet {
  const { expressions } = kubelet;
  if (expressions === undefined) return { kubelet, problems: [] };
  const problems: string[] = [];
  const valueOf = (path: string, text: string, most: number, max_pods: number): number | undefined => {
    const compiled = compileExpression(text);
    const found = 'problem' in compiled ? compiled : compiled.evaluate({ ...variables, max_pods });
    if ('value' in found && found.value <= most) return found.value;
    const problem =
      'problem' in found ? found.problem : `is ${String(found.value)}; at most ${String(most)} is allowed`;
    problems.push(`spec.kubelet.${path} (${JSON.stringify(text)}) ${problem} for ${variables.instance_type}`);
    return undefined;
  };
  const { maxPods: text } = expressions;
  const maxPods =
    text === undefined
      ? kubelet.maxPods
      : valueOf('maxPods', text, MOST_PODS, podsOf({ ...kubelet, maxPods: undefined }));
  const pods = podsOf({ ...kubelet, maxPods });
  const amounts = (field: 'kubeReserved' | 'systemReserved'): ResourceList =>
    new Map([
      ...(kubelet[field] ?? []),
      ...[...expressions[field]].flatMap(([resource, own]): [string, number][] => {
        const value = valueOf(`${field}.${resource}`, own, MOST_AMOUNT, pods);
        return value === undefined ? [] : [[resource, amountOf(resource, value)]];
      }),
    ]);
  const kubeReserved = amounts('kubeReserved');
  return {
    kubelet: {
      ...kubelet,
      maxPods,
      systemReserved: amounts('systemReserved'),
      kubeReserved: kubelet.kubeReserved === undefined && kubeReserved.size === 0 ? undefined : kubeReserved,
    },
    problems,
  };
}

/** Millicores, MiB or GiB: far above all that an instance has. */
const MOST_AMOUNT = 2 ** 32;

/** In the units of the domain. */
function amountOf(resource: string, value: number): number {
  const { step, unit } = UNITS.get(resource) ?? { step: 1, unit: 1 };
  return Math.ceil(value / step) * step * unit;
}

/** The document with numbers for its expressions: nothing of them reaches a node. */
export function writtenKubelet(
  document: KubeletDocument | undefined,
  resolved: KubeletSettings,
): KubeletDocument | undefined {
  const { expressions } = resolved;
  if (document === undefined || expressions === undefined) return document;
  const { maxPods, ...rest } = document;
  return {
    ...rest,
    ...(typeof maxPods === 'number' && { maxPods }),
    ...(expressions.maxPods !== undefined && resolved.maxPods !== undefined && { maxPods: resolved.maxPods }),
    ...written('kubeReserved', document, resolved),
    ...written('systemReserved', document, resolved),
  };
}

function written(
  field: 'kubeReserved' | 'systemReserved',
  document: KubeletDocument,
  resolved: KubeletSettings,
): KubeletDocument {
  const own = document[field];
  if (own === undefined) return {};
  const numbers = [...(resolved.expressions?.[field].keys() ?? [])].map((resource) => [
    resource,
    formatAmount(resource, resolved[field]?.get(resource) ?? 0),
  ]);
  return { [field]: { ...own, ...(Object.fromEntries(numbers) as Record<string, string>) } };
}
