/** Settings of the kubelet in an EC2NodeClass: which its image family takes, and what they say of a node's room. */
import type { Findings } from '../../../apis/decode/findings.js';
import { nearest } from '../../../apis/decode/nearest.js';
import { refuse, type Loose, type RuleContext } from '../../../apis/decode/refuse.js';
import { amountError, resourceListOf } from '../../../apis/fields/amount.js';
import { KUBELET_FIELDS, type KubeletDocument } from '../../../apis/fields/kubelet.js';
import type { ImageFamily } from '../families/family.js';
import { compileProblems, type KubeletExpressions } from '../families/kubelet-expressions.js';
import type { KubeletSettings } from '../families/node-settings.js';

/** Names of the settings that nodes of the family take; undefined: all that a KubeletConfiguration has. */
function fieldsOf({ takesAnySetting, refusedSettings = [] }: ImageFamily): readonly string[] | undefined {
  return takesAnySetting === true
    ? undefined
    : KUBELET_FIELDS.filter((name) => !refusedSettings.includes(name));
}

/** Refuses what user data of the family cannot carry, as Karpenter does (UnsupportedKubeletConfiguration). */
export function checkFamilyKubelet(kubelet: Loose, family: ImageFamily, context: RuleContext): void {
  const allowed = fieldsOf(family);
  for (const field of Object.keys(kubelet)) {
    if (kubelet[field] === undefined || allowed === undefined || allowed.includes(field)) continue;
    refuse(context, `is not supported by nodes of ${family.name}`, {
      path: ['kubelet', field],
      code: 'unsupported',
      allowed,
      guess: nearest(field, allowed),
      at: 'key',
    });
  }
  const { clusterDNS } = kubelet;
  if (!Array.isArray(clusterDNS) || clusterDNS.length < 2 || family.hasOneDnsServer !== true) return;
  refuse(context, `may have one address on nodes of ${family.name}, not ${String(clusterDNS.length)}`, {
    path: ['kubelet', 'clusterDNS'],
    code: 'unsupported',
  });
}

/** The settings without those that nodes of the family do not take: older versions left them out without a word. */
export function supportedKubelet(
  kubelet: Readonly<Record<string, unknown>>,
  family: ImageFamily,
): Readonly<Record<string, unknown>> {
  const allowed = fieldsOf(family);
  const kept = Object.entries(kubelet).filter(([field]) => allowed?.includes(field) ?? true);
  return Object.fromEntries(
    kept.map(([field, value]) =>
      field === 'clusterDNS' && Array.isArray(value) && family.hasOneDnsServer === true
        ? [field, value.slice(0, 1)]
        : [field, value],
    ),
  );
}

/** The settings that change what a node can hold. */
export function kubeletSettings(kubelet: KubeletDocument | undefined): KubeletSettings {
  const { maxPods, podsPerCore, systemReserved, kubeReserved, evictionHard } = kubelet ?? {};
  const expressions = expressionsOf(kubelet);
  return {
    maxPods: typeof maxPods === 'number' ? maxPods : undefined,
    podsPerCore,
    systemReserved: resourceListOf(quantitiesOf(systemReserved ?? {})),
    kubeReserved: kubeReserved && resourceListOf(quantitiesOf(kubeReserved)),
    evictionHard: new Map(Object.entries(evictionHard ?? {})),
    ...(expressions !== undefined && { expressions }),
  };
}

type Reserved = Readonly<Record<string, string>>;

/** What is no quantity is an expression (Karpenter). */
function isQuantity([resource, text]: readonly [string, string]): boolean {
  return amountError(resource, text) === undefined;
}

function quantitiesOf(reserved: Reserved): Reserved {
  return Object.fromEntries(Object.entries(reserved).filter(isQuantity));
}

/** undefined where all is said in numbers. */
function expressionsOf(kubelet: KubeletDocument | undefined): KubeletExpressions | undefined {
  const { maxPods, systemReserved, kubeReserved } = kubelet ?? {};
  const of = (reserved: Reserved = {}): ReadonlyMap<string, string> =>
    new Map(Object.entries(reserved).filter((entry) => !isQuantity(entry)));
  const expressions = {
    maxPods: typeof maxPods === 'string' ? maxPods : undefined,
    kubeReserved: of(kubeReserved),
    systemReserved: of(systemReserved),
  };
  const { maxPods: pods, kubeReserved: kube, systemReserved: system } = expressions;
  return pods === undefined && kube.size + system.size === 0 ? undefined : expressions;
}

/**
 * Other fields are handed to the kubelet unchecked, so only near misses are worth a word. An expression that does not compile is
 * accepted as Karpenter accepts it, and nothing is launched with it.
 */
export function warnOfKubelet(kubelet: KubeletDocument | undefined, findings: Findings): void {
  const expressions = expressionsOf(kubelet);
  for (const { path, text } of expressions === undefined ? [] : compileProblems(expressions))
    findings.warning({
      code: 'invalid-expression',
      path: ['spec', 'kubelet', ...path],
      text: `is neither a quantity nor a CEL expression, so that nothing can be launched: ${text}`,
    });
  for (const field of Object.keys(kubelet ?? {})) {
    const guess = KUBELET_FIELDS.includes(field) ? undefined : nearest(field, KUBELET_FIELDS);
    if (guess === undefined) continue;
    findings.warning({
      code: 'unknown-field',
      path: ['spec', 'kubelet', field],
      text: 'is not validated; it is passed to the kubelet unchanged',
      guess,
      at: 'key',
    });
  }
}
