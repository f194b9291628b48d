/** EC2: what stands before every action, in the order of the real service: rights, limits, dry run, client token. */
import { ec2Query } from '../protocol/ec2-query.js';
import type { QueryNode } from '../protocol/query.js';
import type { Service } from '../protocol/service.js';
import type { XmlStructure } from '../protocol/xml.js';
import { ServiceError } from '../service-error.js';
import type { Account } from './account.js';
import { ClientTokens } from './client-tokens.js';
import { EC2_ACTIONS, IDEMPOTENT_ACTIONS } from './ec2-actions.js';

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
      account.access.check(`ec2:${action}`);
      account.throttle.request(action, query);
      if (query.boolean('DryRun')) throw dryRunAnswer(account, action, query);
      const call = { account, query, startedAt, faults };
      if (!IDEMPOTENT_ACTIONS.has(action)) return act(call);
      return tokens.once(action, query, account.clock.now(), () => {
        checkTagging(account, action, query);
        return act(call);
      });
    },
  };
}

/** Whether it would have been allowed, as an error either way. */
function dryRunAnswer(account: Account, action: string, query: QueryNode): ServiceError {
  const also = action === 'CreateFleet' ? ['ec2:RunInstances'] : [];
  for (const needed of also) account.access.check(needed);
  checkTagging(account, 'DryRun', query);
  if (!query.node('IamInstanceProfile').isEmpty) account.access.check('iam:PassRole');
  return new ServiceError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
}

/** Tags on what is created need a right of their own; CreateFleet tells of it per offering. */
function checkTagging({ access }: Account, action: string, query: QueryNode): void {
  if (action !== 'CreateFleet' && !query.node('TagSpecification').isEmpty) access.check('ec2:CreateTags');
}
