/** IAM policies as AWS evaluates them. */
import { PolicyDocument, type AccessQuestion } from '../../../world/aws/iam/policy-document.js';

const ACTION = 'ec2:RunInstances';
const INSTANCE = 'arn:aws:ec2:eu-west-3:000000000000:instance/*';

function policy(...Statement: readonly object[]): PolicyDocument {
  return PolicyDocument.parse({ Version: '2012-10-17', Statement });
}

function allow(fields: object = {}): object {
  return { Effect: 'Allow', Action: ACTION, Resource: '*', ...fields };
}

function asked(context: Readonly<Record<string, readonly string[]>> = {}): AccessQuestion {
  return { action: ACTION, resource: INSTANCE, context: new Map(Object.entries(context)) };
}

describe('a condition', () => {
  test.each<[string, object, Readonly<Record<string, readonly string[]>>, boolean]>([
    [
      'an equal value',
      { StringEquals: { 'ec2:MetadataHttpTokens': 'required' } },
      { 'ec2:metadatahttptokens': ['required'] },
      true,
    ],
    [
      'another value',
      { StringEquals: { 'ec2:MetadataHttpTokens': 'required' } },
      { 'ec2:metadatahttptokens': ['optional'] },
      false,
    ],
    ['a key that is missing', { StringEquals: { 'aws:RequestTag/team': 'a' } }, {}, false],
    ['a missing key that must differ', { StringNotEquals: { 'aws:RequestTag/team': 'a' } }, {}, true],
    [
      'one of several values',
      { StringEquals: { 'ec2:CreateAction': ['RunInstances', 'CreateFleet'] } },
      { 'ec2:createaction': ['CreateFleet'] },
      true,
    ],
    [
      'none of several values',
      { StringNotEquals: { 'aws:RequestTag/team': ['a', 'b'] } },
      { 'aws:requesttag/team': ['b'] },
      false,
    ],
    [
      'a pattern',
      { StringLike: { 'aws:ResourceTag/pool': 'gpu-*' } },
      { 'aws:resourcetag/pool': ['gpu-1'] },
      true,
    ],
    ['a boolean', { Bool: { 'ec2:Encrypted': true } }, { 'ec2:encrypted': ['true'] }, true],
    ['a key that has to be there', { Null: { 'aws:RequestTag/team': 'false' } }, {}, false],
    ['a key that must not be there', { Null: { 'aws:RequestTag/team': 'true' } }, {}, true],
    [
      'all values known',
      { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a', 'b'] } },
      { 'aws:tagkeys': ['b'] },
      true,
    ],
    [
      'one value unknown',
      { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a', 'b'] } },
      { 'aws:tagkeys': ['b', 'c'] },
      false,
    ],
    ['any of no values', { 'ForAnyValue:StringEquals': { 'aws:TagKeys': ['a'] } }, {}, false],
    ['a value only if it is there', { StringEqualsIfExists: { 'aws:RequestTag/team': 'a' } }, {}, true],
    ['two keys that must both hold', { StringEquals: { x: '1', y: '2' } }, { x: ['1'], y: ['3'] }, false],
  ])('%s', (_, Condition, context, isAllowed) => {
    expect(policy(allow({ Condition })).allows(asked(context))).toBe(isAllowed);
  });
});

test('actions are matched without regard to case, resources with it', () => {
  expect(policy(allow({ Action: 'EC2:run*' })).allows(asked())).toBe(true);
  expect(policy(allow({ Resource: INSTANCE.toUpperCase() })).allows(asked())).toBe(false);
  expect(policy(allow({ Action: undefined, NotAction: 'iam:*' })).allows(asked())).toBe(true);
});

test('a denial is about what it names, whatever else is allowed', () => {
  const document = policy(allow(), allow({ Effect: 'Deny', Resource: INSTANCE }));
  expect(document.allows(asked())).toBe(true);
  expect(document.denies(asked())).toBe(true);
  expect(document.denies({ ...asked(), resource: 'arn:aws:ec2:eu-west-3:000000000000:volume/*' })).toBe(
    false,
  );
});

test.each([
  ['another version', { Version: '2008-10-17', Statement: [] }, 'must be 2012-10-17'],
  [
    'another effect',
    { Version: '2012-10-17', Statement: [{ Effect: 'Maybe' }] },
    'Effect must be Allow or Deny',
  ],
  [
    'a principal',
    { Version: '2012-10-17', Statement: [{ ...allow(), Principal: '*' }] },
    'Principal is not simulated',
  ],
])('%s is refused', (_, document, message) => {
  expect(() => PolicyDocument.parse(document)).toThrow(message);
});

test('an operator that is not simulated is an error, not a match', () => {
  const document = policy(allow({ Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }));
  expect(() => document.allows(asked({ 'aws:sourceip': ['10.0.0.1'] }))).toThrow(
    'IpAddress is not simulated',
  );
});
