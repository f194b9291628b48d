/** Why the two worlds may differ: each reason names what it is about and on which side it may be seen. */
import type { Sight } from './sight.js';

interface Seen {
  readonly what: keyof Sight;
  /** '' where this side showed nothing. */
  readonly simulated: string;
  readonly real: string;
}

interface Reason {
  readonly holds: (seen: Seen) => boolean;
  readonly explanation: string;
}

/** What comes of looking at a node that cannot be cheaper now. */
const LOOKS = ['NodeClaim: Refuse Budget', 'NodeClaim: Refuse NotCheaper', 'NodeClaim: Refuse NotEmpty'];

const REASONS: readonly Reason[] = [
  {
    holds: ({ what, simulated, real }) => what === 'instances' && differInZoneOnly(simulated, real),
    explanation:
      'Zones of one price are chosen by the nodes and the free addresses there: here instances of earlier scenarios had some.',
  },
  {
    holds: ({ what, simulated, real }) => what === 'secondsToBound' && Number(simulated) > Number(real),
    explanation:
      'Instances are nodes within 1 to 2 s of real time here, and within 35 to 60 s of virtual time there.',
  },
  {
    holds: ({ what, simulated, real }) => what === 'seconds' && Number(simulated) > Number(real),
    explanation: 'Boots are shorter here, and quiet times are 20 s at most.',
  },
  {
    holds: ({ what, simulated }) => what === 'seconds' && Number(simulated) < 10,
    explanation: 'No instance boots: requests take real time here, and none of the virtual there.',
  },
  {
    holds: onlyReal('events', ['Node: RegisteredNode', 'Node: RemovingNode']),
    explanation:
      "kube-controller-manager's node lifecycle controller tells of nodes that come and go; the simulated one does not.",
  },
  {
    holds: onlyReal('events', ['Pod: TaintManagerEviction']),
    explanation:
      'kube-controller-manager calls off what it meant to do to pods that were bound before their node was Ready.',
  },
  {
    holds: onlyReal('events', ['PodDisruptionBudget: NoPods']),
    explanation: 'kube-controller-manager remarks that the budget was there before its pods.',
  },
  {
    holds: (seen) => onlySimulated('decisions', LOOKS)(seen) || onlyReal('decisions', LOOKS)(seen),
    explanation:
      'Berth looks at what could be cheaper some time after nodes came up, and says what stands in the way at that moment: which moments fall into the scenario differs.',
  },
  {
    holds: onlySimulated('events', ['NodeClaim: Unconsolidatable']),
    explanation: 'The Event of a refused consolidation, for which the scenario is too short here.',
  },
  {
    holds: onlyReal('events', ['NodeClaim: DisruptionBlocked']),
    explanation:
      'The budget is full in both, and is told once for a node: here as it drifted, there as it was looked at for less cost.',
  },
  {
    holds: (seen) =>
      onlySimulated('decisions', ['NodeClaim: Drain FailedDraining'])(seen) ||
      onlySimulated('events', ['NodeClaim: FailedDraining'])(seen),
    explanation:
      'A PodDisruptionBudget that holds a drain back is told of when that lasts; here the next pod is ready within seconds.',
  },
  {
    holds: (seen) =>
      onlySimulated('decisions', ['NodeClaim: Drain AwaitingVolumeDetachment'])(seen) ||
      onlySimulated('events', ['NodeClaim: AwaitingVolumeDetachment'])(seen),
    explanation:
      'No CSI driver runs here, so kube-controller-manager removes a VolumeAttachment at once; there it takes seconds.',
  },
];

/** The zone of an instance's line, with the word behind it. */
const ZONE = / \S+ at /;

/** Whether two lines tell of instances of one pool, type, capacity type and price in two zones. */
export function differInZoneOnly(line: string, other: string): boolean {
  const isInstance = ZONE.test(line) && ZONE.test(other);
  return isInstance && line !== other && line.replace(ZONE, ' ') === other.replace(ZONE, ' ');
}

/** '' when nobody knows. */
export function reasonFor(seen: Seen): string {
  return REASONS.find(({ holds }) => holds(seen))?.explanation ?? '';
}

function onlySimulated(of: keyof Sight, lines: readonly string[]): Reason['holds'] {
  return ({ what, simulated, real }) => what === of && real === '' && lines.includes(simulated);
}

function onlyReal(of: keyof Sight, lines: readonly string[]): Reason['holds'] {
  return ({ what, simulated, real }) => what === of && simulated === '' && lines.includes(real);
}
