/** Whether the rules of EventBridge send all kinds of events that Berth reads to the interruption queue. */
import { failed, ok, skipped, warning, type CheckFinding } from '../../../../domain/records/check-finding.js';
import { hasCode } from '../../../../ports/port-error.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import { objectIn } from '../client/signed-service.js';
import { EVENT_KINDS } from '../interruptions/sqs-interruption-queue.js';

export interface EventRulesQuestion {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly region: string;
  readonly queueUrl: string;
}

interface Rule {
  readonly name: string;
  readonly isEnabled: boolean;
  /** undefined: any. */
  readonly sources: readonly unknown[] | undefined;
  readonly detailTypes: readonly unknown[] | undefined;
}

/** Without this one a spot instance ends without notice; the others are for comfort. */
const VITAL = 'EC2 Spot Instance Interruption Warning';
const CREATE =
  'Create the rule with the queue as its target (docs/reference/aws-account.md, Event rules), or deploy the template of docs/aws.md again';

/** @throws AwsError for anything but a missing permission. */
export async function eventRules(
  question: EventRulesQuestion,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  try {
    const rules = await rulesOf(question, signal);
    const missing = EVENT_KINDS.flatMap((kind) => gapOf(kind, rules));
    const all = `${String(EVENT_KINDS.length)} kinds of events go to the queue, by the rules ${rules.map(({ name }) => name).join(', ')}`;
    return missing.length === 0 ? [ok(all)] : missing;
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    return [
      skipped(
        `whether events go to the queue was not seen: ${error.message}`,
        'Run berth doctor with the permissions events:ListRuleNamesByTarget and events:DescribeRule; Berth itself does not need them',
      ),
    ];
  }
}

function gapOf(
  [source, detailType]: (typeof EVENT_KINDS)[number],
  rules: readonly Rule[],
): readonly CheckFinding[] {
  const covering = rules.filter(
    ({ sources, detailTypes }) =>
      (sources?.includes(source) ?? true) && (detailTypes?.includes(detailType) ?? true),
  );
  if (covering.some(({ isEnabled }) => isEnabled)) return [];
  const finding = detailType === VITAL ? failed : warning;
  const [disabled] = covering;
  if (disabled === undefined)
    return [finding(`no rule sends the event "${detailType}" of ${source} to the queue`, CREATE)];
  return [
    finding(
      `the rule ${disabled.name}, which would send the event "${detailType}" to the queue, is disabled`,
      `Enable it: aws events enable-rule --name ${disabled.name}`,
    ),
  ];
}

async function rulesOf(
  { clients, region, queueUrl }: EventRulesQuestion,
  signal: AbortSignal,
): Promise<readonly Rule[]> {
  const ask = async (
    operation: 'ListRuleNamesByTarget' | 'DescribeRule',
    input: object,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const call = {
      contentType: 'application/x-amz-json-1.1',
      target: `AWSEvents.${operation}`,
      body: JSON.stringify(input),
    };
    const text = await clients.call(operation, (events, options) => events.send(call, options), { signal });
    return objectIn(text, operation);
  };
  const TargetArn = queueArn(queueUrl, region);
  const pages = await allPages({
    operation: 'events:ListRuleNamesByTarget',
    fetch: (NextToken) => ask('ListRuleNamesByTarget', { TargetArn, NextToken }),
    next: ({ NextToken }) => (typeof NextToken === 'string' ? NextToken : undefined),
  });
  const names = pages.flatMap(({ RuleNames }) => (Array.isArray(RuleNames) ? RuleNames.map(String) : []));
  const rules: Rule[] = [];
  for (const name of names) rules.push(ruleOf(name, await ask('DescribeRule', { Name: name })));
  return rules;
}

/** A rule on a schedule has no pattern, and sends no event of these kinds. */
function ruleOf(name: string, { State, EventPattern }: Readonly<Record<string, unknown>>): Rule {
  const pattern = typeof EventPattern === 'string' ? objectIn(EventPattern, `rule ${name}`) : undefined;
  const listOf = (value: unknown): readonly unknown[] | undefined =>
    pattern === undefined ? [] : Array.isArray(value) ? value : undefined;
  return {
    name,
    // ENABLED, and ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS.
    isEnabled: typeof State === 'string' && State.startsWith('ENABLED'),
    sources: listOf(pattern?.['source']),
    detailTypes: listOf(pattern?.['detail-type']),
  };
}

/** Its URL ends with the account and the name: https://sqs.REGION.amazonaws.com/ACCOUNT/NAME. */
function queueArn(url: string, region: string): string {
  const [account = '', name = ''] = url.split('/').slice(-2);
  return `arn:${partitionOf(region)}:sqs:${region}:${account}:${name}`;
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
