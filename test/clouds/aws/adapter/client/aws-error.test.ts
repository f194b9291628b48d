import { awsError } from '../../../../../src/clouds/aws/adapter/client/aws-error.js';

const CALL = { action: 'ec2:CreateFleet', subject: 'general-1' };

/** As the SDK throws what a service says. */
function serviceError(name: string, message: string, Code = name): Error {
  return Object.assign(new Error(message), {
    name,
    Code,
    $fault: 'client',
    $metadata: { httpStatusCode: 403 },
  });
}

test('a missing permission is named: the action itself', () => {
  const error = awsError(serviceError('UnauthorizedOperation', 'You are not authorized.'), CALL);
  expect(error.message).toBe(
    'ec2:CreateFleet for general-1: needs the permission ec2:CreateFleet: UnauthorizedOperation: You are not authorized.',
  );
});

test('a missing permission is named: another action that AWS names', () => {
  const text =
    'You are not authorized to perform this operation. User: berth is not authorized to perform: iam:PassRole on resource: role/node. Encoded authorization failure message: abcdef';
  const { message } = awsError(serviceError('UnauthorizedOperation', text), CALL);
  expect(message).toContain('needs the permission iam:PassRole');
  expect(message).not.toContain('abcdef');
});

test('the role that spot needs is named by the permission to create it', () => {
  const code = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';
  expect(awsError(serviceError(code, 'no'), CALL)).toMatchObject({ code: 'Forbidden' });
  expect(awsError(serviceError(code, 'no'), CALL).message).toContain('iam:CreateServiceLinkedRole');
});

test("a query service's own code counts, not the SDK's name for it", () => {
  const error = awsError(
    serviceError('QueueDoesNotExist', 'gone', 'AWS.SimpleQueueService.NonExistentQueue'),
    CALL,
  );
  expect(error).toMatchObject({ code: 'NotFound', awsCode: 'AWS.SimpleQueueService.NonExistentQueue' });
});

test('long texts are cut', () => {
  const { message } = awsError(serviceError('InvalidParameterValue', 'x'.repeat(5_000)), CALL);
  expect(message.length).toBeLessThan(600);
});

test('what is thrown need not be an error', () => {
  expect(awsError('no', CALL)).toMatchObject({ code: 'Unavailable', awsCode: '' });
  expect(awsError(undefined, CALL)).toMatchObject({ code: 'Unavailable' });
});

test("the SDK's answer is not dragged along", () => {
  const error = Object.assign(serviceError('InternalError', 'oops'), { $response: { body: 'secret' } });
  expect(awsError(error, CALL).cause).toBeUndefined();
});

test("the system's code stands where there was no answer", () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const error = awsError(refused, { action: 'ec2:CreateFleet', subject: undefined });
  expect(error).toMatchObject({ code: 'Unavailable', awsCode: 'ECONNREFUSED', mayHaveHappened: false });
  expect(error.message).toBe('ec2:CreateFleet: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1');
});
