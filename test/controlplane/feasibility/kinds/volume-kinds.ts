/** What the volumes of pods ask of a node. */
import type { NodeRefusal } from '../../../support/feasibility.js';
import type { Chance } from '../chance.js';
import { by, type Kind } from './kind.js';
import type { PodDraft } from '../pod-draft.js';
import { claimName, type ClaimState } from '../random-storage.js';

type States = readonly [ClaimState, ...ClaimState[]];

function claimKind(name: string, states: States, refuses: Kind['refuses']): Kind {
  return {
    name,
    add: (pod, chance) => {
      addClaim(pod, chance, chance.one(states));
    },
    refuses,
  };
}

function globalClaimKind(name: string, states: States, refuses: Kind['refuses']): Kind {
  return { ...claimKind(name, states, refuses), global: true };
}

/** A pod competes with itself for volumes made by hand, which planning does not look at: one of them is enough. */
function addClaim(pod: PodDraft, chance: Chance, state: ClaimState): void {
  if (state === 'static' && JSON.stringify(pod.volumes).includes('"static-')) return;
  pod.addClaim(claimName(chance, state));
}

function addEphemeral(pod: PodDraft, chance: Chance): void {
  const storageClassName = chance.one(['wait', 'wait-zone', 'wait-zone', 'wait-in-tree']);
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName,
  };
  pod.volumes.push({
    name: `v${String(pod.volumes.length)}`,
    ephemeral: { volumeClaimTemplate: { spec } },
  });
  // The claim is made for the pod, and only then may the scheduler see it.
  pod.more['schedulingGates'] = [{ name: 'example.com/claims' }];
}

function addMany(pod: PodDraft, chance: Chance): void {
  const count = chance.number(2, 3);
  for (let index = 0; index < count; index++)
    addClaim(pod, chance, chance.one(['anywhere', 'wait', 'wait-in-tree', 'anywhere']));
}

function addMissing(pod: PodDraft, chance: Chance): void {
  if (chance.often(0.25)) pod.addClaim(MISSING);
  else addClaim(pod, chance, chance.one(['lost', 'anywhere', 'wait']));
}

const MISSING = 'no-such-claim';

function onVolumes({ plugin }: NodeRefusal): boolean {
  return plugin === 'VolumeBinding' || plugin === 'NodeVolumeLimits';
}

export const VOLUME_KINDS: readonly Kind[] = [
  claimKind('volume node affinity', ['zonal', 'zonal', 'zonal', 'host'], by('VolumeBinding')),
  claimKind('volume zone label', ['labelled', 'old-labelled'], by('VolumeZone')),
  claimKind('allowed topologies', ['wait-zone'], by('VolumeBinding')),
  claimKind('volume made by hand', ['static'], by('VolumeBinding')),
  { name: 'attach limit', add: addMany, refuses: by('NodeVolumeLimits') },
  { name: 'ephemeral volume', add: addEphemeral, refuses: onVolumes },
  globalClaimKind('ReadWriteOncePod', ['once'], by('VolumeRestrictions')),
  globalClaimKind(
    'claim not bound',
    ['immediate', 'prebound', 'terminating', 'anywhere', 'wait', 'wait-in-tree'],
    by('VolumeBinding'),
  ),
  {
    name: 'claim or volume not there',
    add: addMissing,
    global: true,
    refuses: ({ plugin, about }) =>
      plugin === 'VolumeZone' ||
      (plugin === 'VolumeRestrictions' && about.some((claim) => claim.endsWith(MISSING))),
  },
];
