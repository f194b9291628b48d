/** The moments of a launch at which everything that Berth has in memory is lost, told by what crosses the wire. */
import type { WireAnswer, WireHandler, WireRequest } from '../../world/wire/wire.js';

export interface KillPoint {
  readonly name: string;
  readonly service: 'kubernetes' | 'aws';
  /** Before: the request is there and nothing has been done about it. After: it is done, and the answer is on its way. */
  readonly when: 'before' | 'after';
  matches(request: WireRequest): boolean;
}

/** In the order in which a launch passes them. */
export const KILL_POINTS: readonly KillPoint[] = [
  {
    name: 'claim written',
    service: 'kubernetes',
    when: 'after',
    matches: ({ method, path }) => method === 'POST' && /^\/apis\/berth\.sh\/v1\/nodeclaims(\?|$)/.test(path),
  },
  {
    name: 'request stored',
    service: 'kubernetes',
    when: 'after',
    matches: (request) =>
      isClaimStatus(request) && request.body.includes('"requestHash"') && !isLaunched(request),
  },
  { name: 'CreateFleet sent', service: 'aws', when: 'before', matches: isAction('CreateFleet') },
  { name: 'CreateFleet answered', service: 'aws', when: 'after', matches: isAction('CreateFleet') },
  {
    name: 'status written',
    service: 'kubernetes',
    when: 'after',
    matches: (request) => isClaimStatus(request) && isLaunched(request),
  },
  { name: 'tag written', service: 'aws', when: 'after', matches: isAction('CreateTags') },
];

/**
 * The handler with a trap in it: `kill` is called at the first request that the point is about. The world still carries out what
 * it was asked for, as EC2 does when its caller is gone.
 */
export function trapped(handler: WireHandler, point: KillPoint, kill: () => void): WireHandler {
  let isArmed = true;
  return async (request, signal): Promise<WireAnswer> => {
    if (!isArmed || !point.matches(request)) return handler(request, signal);
    isArmed = false;
    if (point.when === 'before') kill();
    const answer = await handler(request, new AbortController().signal);
    if (point.when === 'after') kill();
    return answer;
  };
}

/** Dry runs ask for permission only. */
function isAction(action: string): KillPoint['matches'] {
  return ({ body }) => {
    const query = new URLSearchParams(body);
    return query.get('Action') === action && query.get('DryRun') !== 'true';
  };
}

function isClaimStatus({ method, path }: WireRequest): boolean {
  return (
    (method === 'PUT' || method === 'PATCH') &&
    /^\/apis\/berth\.sh\/v1\/nodeclaims\/[^/]+\/status(\?|$)/.test(path)
  );
}

function isLaunched({ body }: WireRequest): boolean {
  return body.includes('"providerID"');
}
