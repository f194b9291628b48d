import {
  errorOfFailure,
  errorOfRefusal,
  errorOfStatus,
  type Refusal,
} from '../../../../src/adapters/kube/transport/status-error.js';
import { PortError } from '../../../../src/ports/port-error.js';

function refusal(
  overrides: Partial<Refusal> & { readonly status?: Readonly<Record<string, unknown>> },
): Refusal {
  const { status, ...rest } = overrides;
  return {
    operation: 'create things/a',
    isEviction: false,
    httpStatus: 500,
    retryAfter: undefined,
    body: status === undefined ? '' : JSON.stringify({ kind: 'Status', ...status }),
    now: Date.UTC(2026, 0, 1),
    ...rest,
  };
}

describe('errorOfRefusal', () => {
  test.each([
    [400, 'BadRequest', 'Invalid'],
    [401, 'Unauthorized', 'Unauthorized'],
    [403, 'Forbidden', 'Forbidden'],
    [404, 'NotFound', 'NotFound'],
    [405, 'MethodNotAllowed', 'Invalid'],
    [409, 'AlreadyExists', 'AlreadyExists'],
    [409, 'Conflict', 'Conflict'],
    [410, 'Expired', 'Gone'],
    [410, 'Gone', 'Gone'],
    [413, 'RequestEntityTooLarge', 'Invalid'],
    [415, 'UnsupportedMediaType', 'Invalid'],
    [422, 'Invalid', 'Invalid'],
    [429, 'TooManyRequests', 'RateLimited'],
    [500, 'InternalError', 'Unavailable'],
    [500, 'ServerTimeout', 'Unavailable'],
    [503, 'ServiceUnavailable', 'Unavailable'],
    [504, 'Timeout', 'TimedOut'],
  ])('knows %i %s', (httpStatus, reason, code) => {
    const error = errorOfRefusal(refusal({ httpStatus, status: { reason, message: 'because' } }));
    expect(error).toMatchObject({ code, message: `create things/a: ${String(httpStatus)} because` });
  });

  test.each([
    [400, 'Invalid'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [409, 'Conflict'],
    [410, 'Gone'],
    [418, 'Invalid'],
    [429, 'RateLimited'],
    [502, 'Unavailable'],
    [504, 'TimedOut'],
  ])('knows %i without a Status', (httpStatus, code) => {
    const error = errorOfRefusal(refusal({ httpStatus, body: '<html>a proxy says no</html>\n' }));
    expect(error).toMatchObject({ code, message: expect.stringContaining('a proxy says no') as string });
  });

  test('calls the 429 of an eviction Blocked when a budget stands in the way, RateLimited when there are too many', () => {
    const causes = [{ reason: 'DisruptionBudget', message: 'needs 1 healthy pod' }];
    const status = { reason: 'TooManyRequests', details: { causes, retryAfterSeconds: 10 } };
    const blocked = errorOfRefusal(refusal({ httpStatus: 429, isEviction: true, status }));
    expect(blocked).toMatchObject({ code: 'Blocked', retryAfterMillis: 10_000 });

    const body = 'Too many requests, please try again later.';
    const limited = errorOfRefusal(refusal({ httpStatus: 429, isEviction: true, retryAfter: '1', body }));
    expect(limited).toMatchObject({ code: 'RateLimited', retryAfterMillis: 1000 });
  });

  test('calls an eviction Blocked, too, that the API server answers with 500 because several budgets are about the pod', () => {
    const status = { message: 'This pod has more than one PodDisruptionBudget', code: 500 };
    const blocked = errorOfRefusal(refusal({ isEviction: true, status }));
    expect(blocked).toMatchObject({
      code: 'Blocked',
      message: 'create things/a: 500 This pod has more than one PodDisruptionBudget',
    });

    const broken = { ...status, reason: 'InternalError' };
    expect(errorOfRefusal(refusal({ isEviction: true, status: broken }))).toMatchObject({
      code: 'Unavailable',
    });
    expect(errorOfRefusal(refusal({ status }))).toMatchObject({ code: 'Unavailable' });
  });

  test.each([
    ['120', 120_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads Retry-After %s', (retryAfter, millis) => {
    expect(errorOfRefusal(refusal({ httpStatus: 503, retryAfter })).retryAfterMillis).toBe(millis);
  });

  test('keeps only the beginning of a page', () => {
    const error = errorOfRefusal(refusal({ httpStatus: 502, body: 'x'.repeat(10_000) }));
    expect(error.message.length).toBeLessThan(400);
  });
});

describe('errorOfStatus', () => {
  test('reads the Status of an ERROR event', () => {
    const error = errorOfStatus('watch things', { code: 410, reason: 'Expired', message: 'too old' });
    expect(error).toMatchObject({ code: 'Gone', message: 'watch things: 410 too old' });
  });

  test('takes a Status that says nothing for a fault of the server', () => {
    expect(errorOfStatus('watch things', {})).toMatchObject({ code: 'Unavailable', retryable: true });
  });
});

describe('errorOfFailure', () => {
  test('leaves a PortError as it is', () => {
    const error = new PortError('Cancelled', { operation: 'wait', message: 'stopped' });
    expect(errorOfFailure('list', error)).toBe(error);
  });

  test('names what is wrong with each address of a host', () => {
    const error = new AggregateError([new Error('refused at ::1'), new Error('refused at 127.0.0.1')]);
    expect(errorOfFailure('list', error)).toMatchObject({
      code: 'Unavailable',
      message: 'list: Error: refused at ::1; Error: refused at 127.0.0.1',
    });
  });
});
