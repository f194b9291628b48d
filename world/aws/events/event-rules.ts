/** EventBridge: the rules whose target is the interruption queue, and what they let through. */
import { ServiceError } from '../model/service-error.js';
import { slice } from '../protocol/paging.js';
import type { JsonInput } from '../protocol/json.js';

interface EventRule {
  readonly source: string;
  readonly detailType: string;
  readonly isEnabled: boolean;
}

/** As an account has them that was made with manifests/aws. */
const SEED: Readonly<Record<string, readonly [source: string, detailType: string]>> = {
  'scheduled-change': ['aws.health', 'AWS Health Event'],
  'spot-interruption': ['aws.ec2', 'EC2 Spot Instance Interruption Warning'],
  rebalance: ['aws.ec2', 'EC2 Instance Rebalance Recommendation'],
  'instance-state-change': ['aws.ec2', 'EC2 Instance State-change Notification'],
  'capacity-reservation': ['aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning'],
};
const PAGE = 100;

export class EventRules {
  readonly #queueArn: string;
  readonly #ruleArn: (name: string) => string;
  readonly #rules = new Map<string, EventRule>();

  constructor({
    queueArn,
    ruleArn,
  }: {
    readonly queueArn: string;
    readonly ruleArn: (name: string) => string;
  }) {
    this.#queueArn = queueArn;
    this.#ruleArn = ruleArn;
    for (const [name, [source, detailType]] of Object.entries(SEED))
      this.#rules.set(name, { source, detailType, isEnabled: true });
  }

  remove(name: string): void {
    this.#rules.delete(name);
  }

  /** As `enable-rule` and `disable-rule` do; nothing where there is no such rule. */
  enable(name: string, isEnabled: boolean): void {
    const rule = this.#rules.get(name);
    if (rule !== undefined) this.#rules.set(name, { ...rule, isEnabled });
  }

  /** Whether an event gets into the queue. */
  lets(source: string, detailType: string): boolean {
    return [...this.#rules.values()].some(
      (rule) => rule.isEnabled && rule.source === source && rule.detailType === detailType,
    );
  }

  /** @throws ServiceError */
  act(action: string, input: JsonInput): object {
    if (action === 'ListRuleNamesByTarget') return this.#namesByTarget(input);
    if (action === 'DescribeRule') return this.#describe(input.required('Name'));
    throw new ServiceError('UnknownOperationException', `The operation ${action} is not known`);
  }

  #namesByTarget(input: JsonInput): object {
    const names = input.required('TargetArn') === this.#queueArn ? [...this.#rules.keys()].sort() : [];
    const size = input.integer('Limit') ?? PAGE;
    if (size < 1 || size > PAGE)
      throw new ServiceError('ValidationException', `Limit must be between 1 and ${String(PAGE)}`);
    const { items, nextToken } = slice(names, size, input.text('NextToken'), 'ValidationException');
    return { RuleNames: items, NextToken: nextToken };
  }

  #describe(name: string): object {
    const rule = this.#rules.get(name);
    if (rule === undefined)
      throw new ServiceError('ResourceNotFoundException', `Rule ${name} does not exist on EventBus default.`);
    return {
      Name: name,
      Arn: this.#ruleArn(name),
      EventPattern: JSON.stringify({ source: [rule.source], 'detail-type': [rule.detailType] }),
      State: rule.isEnabled ? 'ENABLED' : 'DISABLED',
      EventBusName: 'default',
    };
  }
}
