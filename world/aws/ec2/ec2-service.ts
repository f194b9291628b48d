/** EC2: what stands before every action, in the order of the real service: rights, limits, dry run, client token. */
import { ec2Query } from '../protocol/ec2-query.js';
import type { QueryNode } from '../protocol/query.js';
import type { Service } from '../protocol/service.js';
import type { XmlStructure } from '../protocol/xml.js';
import { ServiceError } from '../model/service-error.js';
import type { Account } from './account/account.js';
import { ClientTokens } from './launch/client-tokens.js';
import { authorizations, overrideAuthorizations } from './launch/authorization.js';
import { EC2_ACTIONS, IDEMPOTENT_ACTIONS, lookups } from './ec2-actions.js';
import { readOverrides } from './launch/fleet-candidates.js';
import { readFleetParts } from './launch/fleet-request.js';
import { checkRunInstances } from './launch/run-instances.js';

export function ec2Service(account: Account): Service<QueryNode, XmlStructure> {
  const tokens = new ClientTokens(() => account.ids.request());
  const startedAt = account.clock.now();
  return {
    name: 'ec2',
    protocol: ec2Query,
    act: (action, query, { faults }) => {
      const act = Object.hasOwn(EC2_ACTIONS, action) ? EC2_ACTIONS[action] : undefined;
      if (act === undefined)
        throw new ServiceError('InvalidAction', `The action ${action} is not valid for this web service.`);
      account.access.checkEc2(() => authorizations(account, action, query, lookups(account)));
      account.throttle.request(action, query);
      if (query.boolean('DryRun')) throw dryRunAnswer(account, action, query);
      const call = { account, query, startedAt, faults };
      if (!IDEMPOTENT_ACTIONS.has(action)) return act(call);
      return tokens.once(action, query, account.clock.now(), () => act(call));
    },
  };
}

/** Whether it would have been allowed, as an error either way. What a launch names must be there to be judged. */
function dryRunAnswer(account: Account, action: string, query: QueryNode): ServiceError {
  if (action === 'RunInstances') checkRunInstances(account, query);
  if (action === 'CreateFleet')
    for (const { capacityType } of readFleetParts(query))
      for (const override of readOverrides(account, query))
        account.access.checkEc2(() => overrideAuthorizations(account, override, capacityType === 'spot'));
  return new ServiceError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
}
