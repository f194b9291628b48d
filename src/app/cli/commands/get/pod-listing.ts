/** `berth get pods`: where each is or will be, and why it has no place. */
import type { ObservedPod } from '../../../../domain/pods/observed-pod.js';
import { podStanding, refusals, type PodStanding } from '../../../../state/nodes/pod-standing.js';
import { durationText } from '../../../../state/story/words.js';
import { poolVerdicts } from '../../../../state/story/pool-verdicts.js';
import { byName, listing, NONE, type Listing } from './listing.js';

interface SeenPod {
  readonly pod: ObservedPod;
  readonly standing: PodStanding;
  readonly ageMillis: number;
}

export const PODS: Listing = listing<SeenPod>({
  names: ['pods', 'pod', 'po'],
  kinds: ['Pod', 'Node', 'NodeClaim', 'Reservation', 'Decision'],
  namespaced: true,
  items: ({ cluster, now }) => {
    const latest = refusals(cluster);
    return byName(cluster.pods.values(), (pod) => pod).map((pod) => ({
      pod,
      standing: podStanding(cluster, pod, (uid) => latest.get(uid)),
      ageMillis: now - pod.createdAt,
    }));
  },
  nameOf: ({ pod }) => ({ namespace: pod.namespace, name: pod.name }),
  columns: [
    { header: 'NAMESPACE', key: 'namespace', text: ({ pod }) => pod.namespace },
    { header: 'NAME', key: 'name', text: ({ pod }) => pod.name },
    { header: 'STATE', key: 'state', text: ({ standing }) => stateOf(standing) },
    { header: 'NODE', key: 'node', text: ({ standing }) => placeOf(standing) },
    {
      header: 'AGE',
      key: 'ageSeconds',
      text: ({ ageMillis }) => durationText(ageMillis),
      value: ({ ageMillis }) => Math.floor(ageMillis / 1000),
    },
    { header: 'REASON', key: 'reason', text: ({ standing }) => reasonOf(standing) },
  ],
});

function stateOf(standing: PodStanding): string {
  return standing.state === 'Ignored' ? standing.reason : standing.state;
}

function placeOf(standing: PodStanding): string {
  if (standing.state === 'Planned') return standing.stateNode.name;
  return standing.state === 'Bound' || standing.state === 'Leaving' ? (standing.nodeName ?? NONE) : NONE;
}

function reasonOf(standing: PodStanding): string {
  if (standing.state !== 'Refused') return '';
  const { spec } = standing.refusal;
  return `${spec.reason}: ${poolVerdicts(spec)[0]?.verdict ?? spec.message}`;
}
