import { inProcessHandler, type ExchangeRequest } from '../../../../support/in-process-handler.js';

function recording() {
  const asked: ExchangeRequest[] = [];
  const handler = inProcessHandler((request) => {
    asked.push(request);
    return Promise.resolve({ status: 200, headers: { a: 'b' }, body: 'grüße' });
  });
  return { asked, handler };
}

test('a request comes as it would be on the wire', async () => {
  const { asked, handler } = recording();
  await handler.handle({
    method: 'POST',
    path: '/clusters/demo',
    query: { a: 'x y', b: ['1', '2'], c: null },
    headers: { Host: 'localhost', 'X-Amz-Target': 'T' },
    body: new TextEncoder().encode('grüße'),
  });
  expect(asked).toEqual([
    {
      method: 'POST',
      path: '/clusters/demo?a=x+y&b=1&b=2&c=',
      headers: { host: 'localhost', 'x-amz-target': 'T' },
      body: 'grüße',
    },
  ]);
});

test('an answer comes as bytes, in one piece', async () => {
  async function* pieces() {
    await Promise.resolve();
    yield 'one';
    yield 'two';
  }
  const handler = inProcessHandler(() => Promise.resolve({ status: 201, headers: {}, body: pieces() }));
  const { response } = await handler.handle({ method: 'GET', path: '/', headers: {} });
  expect(response.statusCode).toBe(201);
  expect(new TextDecoder().decode(response.body)).toBe('onetwo');
});

test('the signal comes along', async () => {
  const abort = new AbortController();
  abort.abort();
  let seen: AbortSignal | undefined;
  const handler = inProcessHandler((_, signal) => {
    seen = signal;
    return Promise.resolve({ status: 200, headers: {}, body: '' });
  });
  await handler.handle({ method: 'GET', path: '/', headers: {} }, { abortSignal: abort.signal });
  expect(seen?.aborted).toBe(true);
  await handler.handle({ method: 'GET', path: '/', headers: {} });
  expect(seen?.aborted).toBe(false);
});
