/** What pods ask of a node's room, in every way in which they can ask. */
import type { Chance } from '../chance.js';
import { by, type Kind } from './kind.js';
import type { PodDraft } from '../pod-draft.js';
import { GPU, RUNTIME_CLASS } from '../vocabulary.js';

/** A resource in the requests of the main container. */
function requestKind(name: string, resource: string, amounts: readonly string[]): Kind {
  return {
    name,
    add: ({ container }, chance) => {
      container.resources.requests[resource] = chance.one(amounts);
    },
    refuses: by('NodeResourcesFit', resource),
  };
}

/** A resource that cannot be overcommitted: limits are requests. The API server wants cpu or memory beside huge pages. */
function exactKind(name: string, resource: string, amounts: readonly string[]): Kind {
  return {
    name,
    add: ({ container: { resources } }, chance) => {
      const amount = chance.one(amounts);
      resources.requests[resource] = amount;
      resources.limits[resource] = amount;
      resources.requests['cpu'] ??= '10m';
    },
    refuses: by('NodeResourcesFit', resource),
  };
}

function addInitContainers(pod: PodDraft, chance: Chance): void {
  pod.addInitContainer({ cpu: chance.one(['2', '3', '3900m']) });
  if (chance.often(0.5)) pod.addInitContainer({ cpu: '1', memory: '3Gi' });
}

function addSidecar(pod: PodDraft, chance: Chance): void {
  pod.addInitContainer({ cpu: chance.one(['1', '2', '2500m']), memory: '2Gi' }, 'Always');
  if (chance.often(0.5)) pod.addInitContainer({ cpu: '1500m' });
  pod.container.resources.requests['cpu'] ??= '700m';
}

function addOverhead(pod: PodDraft): void {
  pod.more['runtimeClassName'] = RUNTIME_CLASS;
  pod.container.resources.requests['cpu'] ??= '600m';
}

/** At least what the containers of any draft ask for together. */
function addPodLevel(pod: PodDraft, chance: Chance): void {
  pod.more['resources'] = chance.one([
    { requests: { cpu: '7' } },
    { requests: { memory: '9Gi' } },
    { requests: { cpu: '6800m' }, limits: { cpu: '7', memory: '12Gi' } },
    { limits: { memory: '9500Mi' } },
  ]);
}

export const RESOURCE_KINDS: readonly Kind[] = [
  requestKind('cpu', 'cpu', ['500m', '1', '1500m', '2', '3', '3500m', '4']),
  requestKind('memory', 'memory', ['1Gi', '2Gi', '3500M', '6Gi', '7000000Ki']),
  requestKind('ephemeral-storage', 'ephemeral-storage', ['5Gi', '15Gi', '20001Mi']),
  exactKind('extended resource', GPU, ['1', '2']),
  exactKind('huge pages', 'hugepages-2Mi', ['100Mi', '256Mi']),
  { name: 'pods per node', refuses: by('NodeResourcesFit', 'pods') },
  { name: 'init containers', add: addInitContainers, refuses: by('NodeResourcesFit') },
  { name: 'sidecars', add: addSidecar, refuses: by('NodeResourcesFit') },
  { name: 'overhead', add: addOverhead, refuses: by('NodeResourcesFit', 'cpu') },
  { name: 'pod-level resources', add: addPodLevel, refuses: by('NodeResourcesFit') },
];
