/** What a kubelet registers with: put together from all that its instance's userData says. */
import type { Quantities, StringMap, Taint } from '../cluster/objects.js';

/** The part of a KubeletConfiguration that decides what a node offers. */
export interface KubeletSettings {
  readonly maxPods?: number | undefined;
  readonly podsPerCore?: number | undefined;
  readonly kubeReserved?: Quantities | undefined;
  readonly systemReserved?: Quantities | undefined;
  readonly evictionHard?: StringMap | undefined;
}

export interface Registration {
  readonly labels: StringMap;
  readonly taints: readonly Taint[];
  readonly settings: KubeletSettings;
  /** The image family whose user data it is; undefined when it cannot be read. */
  readonly family: 'AL2023' | 'AL2' | 'Bottlerocket' | undefined;
}

export const NOTHING: Registration = { labels: {}, taints: [], settings: {}, family: undefined };

/** What comes later goes before what came first; taints add up. */
export function merged(first: Registration, second: Registration): Registration {
  return {
    labels: { ...first.labels, ...second.labels },
    taints: [...first.taints, ...second.taints],
    settings: { ...first.settings, ...second.settings },
    family: second.family ?? first.family,
  };
}

/** Flags of a kubelet: `--node-labels=a=b,c=d`, `--register-with-taints=k=v:NoSchedule`, `--max-pods=29`; others are ignored. */
export function fromFlags(flags: readonly string[]): Omit<Registration, 'family'> {
  const values = new Map(
    flags.flatMap((flag) => {
      const [, name = '', value = ''] = /^--([a-z-]+)[= ](.*)$/s.exec(flag) ?? [];
      return name === '' ? [] : [[name, value.replace(/^["']|["']$/g, '')] as const];
    }),
  );
  const maxPods = values.get('max-pods');
  return {
    labels: Object.fromEntries(entries(values.get('node-labels')).map(splitLabel)),
    taints: entries(values.get('register-with-taints')).map(parseTaint),
    settings: maxPods === undefined ? {} : { maxPods: Number(maxPods) },
  };
}

function entries(list: string | undefined): readonly string[] {
  return (list ?? '').split(',').filter((entry) => entry !== '');
}

function splitLabel(entry: string): readonly [string, string] {
  const [key = '', ...value] = entry.split('=');
  return [key, value.join('=')];
}

/** `key=value:Effect` or `key:Effect`. */
function parseTaint(entry: string): Taint {
  const colon = entry.lastIndexOf(':');
  const [key, value] = splitLabel(entry.slice(0, colon));
  return { key, ...(value !== '' && { value }), effect: entry.slice(colon + 1) };
}
