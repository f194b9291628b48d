/** What a pod asks of its node, as facts of its story. */
import { counted } from '../../domain/values/text.js';
import { formatTaint } from '../../domain/values/taint.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import type { StoryFact } from './story.js';
import { requestsText } from './words.js';

const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** Requests first, then whatever else narrows the choice. */
export function askedFacts({ spec, owner }: ObservedPod): readonly StoryFact[] {
  return [
    { label: 'Asks for', value: requestsText(spec.requests) },
    ...(owner === undefined ? [] : [{ label: 'Owner', value: `${owner.kind} ${owner.name}` }]),
    ...fact('Only on', selectorText(spec)),
    ...fact('Spreads over', [...new Set(spec.spread.map(({ topologyKey }) => topologyKey))].join(', ')),
    ...fact('Affinities', affinityText(spec)),
    ...fact('Tolerates', tolerationText(spec)),
    ...fact('Volumes', spec.volumes.length === 0 ? '' : counted(spec.volumes.length, 'volume')),
    ...fact('Priority', spec.priority === 0 ? '' : String(spec.priority)),
  ];
}

/** Why the pod keeps its node from being taken away voluntarily; undefined when it does not. */
export function holdsNode({ annotations }: Pick<ObservedPod, 'annotations'>): string | undefined {
  const value = annotations.get(DO_NOT_DISRUPT);
  return value === undefined || value === 'false' ? undefined : `${DO_NOT_DISRUPT}: ${JSON.stringify(value)}`;
}

function fact(label: string, value: string): readonly StoryFact[] {
  return value === '' ? [] : [{ label, value }];
}

function selectorText({ nodeSelector, nodeAffinity }: PodSpec): string {
  const selected = [...nodeSelector].map(([key, value]) => `${key}=${value}`);
  const terms = nodeAffinity.required?.length ?? 0;
  return [...selected, ...(terms === 0 ? [] : [counted(terms, 'node affinity term')])].join(', ');
}

function affinityText({ podAffinity, podAntiAffinity }: PodSpec): string {
  const near = podAffinity.required.length;
  const far = podAntiAffinity.required.length;
  const parts = [
    near === 0 ? '' : counted(near, 'required affinity term'),
    far === 0 ? '' : counted(far, 'required anti-affinity term'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Those that every pod gets are left out. */
function tolerationText({ tolerations }: PodSpec): string {
  return tolerations
    .filter(({ key }) => !key.startsWith('node.kubernetes.io/'))
    .map(({ key, value, effect }) =>
      effect === undefined ? (key === '' ? 'everything' : key) : formatTaint({ key, value, effect }),
    )
    .join(', ');
}
