/** `berth approve` and `berth reject`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeDecision } from '../../../src/apis/berth/decision.js';
import { verdictCommand } from '../../../src/app/cli/commands/verdict.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { giveVerdicts, type GiveVerdicts, type VerdictRequest } from '../../../src/app/give-verdicts.js';
import type { Decision } from '../../../src/domain/records/decision.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { PortError } from '../../../src/ports/port-error.js';
import { FakeApiServer, json, status, type Answer } from '../../adapters/kube/transport/fake-api-server.js';
import { decision, proposalSpec } from '../../support/builders/decision.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';

const WAITING = decision({ name: 'launch-1', spec: proposalSpec() });
const WRITTEN = { name: 'launch-1', isWritten: true, message: '2 nodes', by: 'ana' };

async function berth(argv: readonly string[], give: GiveVerdicts) {
  const io = fakeIo({ env: { USER: 'forged' } });
  const commands = [
    loaded('approve', verdictCommand('approved', give)),
    loaded('reject', verdictCommand('rejected', give)),
  ];
  const code = await runCli({ commands, version: '0' }, argv, io);
  return { code, ...io.written() };
}

describe('berth approve', () => {
  test('says what was approved', async () => {
    const asked: VerdictRequest[] = [];
    const answer = await berth(['approve', 'launch-1', '--reason', 'go'], (request) => {
      asked.push(request);
      return Promise.resolve([WRITTEN]);
    });
    expect(asked).toMatchObject([{ verdict: 'approved', reason: 'go', names: ['launch-1'] }]);
    expect(answer).toEqual({ code: 0, stdout: 'launch-1 approved: 2 nodes\n', stderr: '' });
  });

  test('exits with 1 when one of them was not written, and says why on standard error', async () => {
    const refused = { name: 'launch-2', isWritten: false, message: 'approve launch-2: no', by: 'ana' };
    const answer = await berth(['approve', 'launch-1', 'launch-2', '-o', 'json'], () =>
      Promise.resolve([WRITTEN, refused]),
    );
    expect(answer.code).toBe(1);
    expect(JSON.parse(answer.stdout)).toEqual({
      items: [
        { name: 'launch-1', verdict: 'approved', by: 'ana', message: '2 nodes' },
        { name: 'launch-2', verdict: null, by: 'ana', message: 'approve launch-2: no' },
      ],
    });
    expect(answer.stderr).toBe('berth approve: approve launch-2: no\n');
  });

  test.each([[[]], [['launch-1', '--all']]])('wants names or --all: %j', async (words) => {
    const answer = await berth(['approve', ...words], () => Promise.resolve([]));
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain('expected names of Decisions, or --all');
  });

  test('--all is done when nothing waits', async () => {
    const answer = await berth(['approve', '--all'], () => Promise.resolve([]));
    expect(answer).toEqual({ code: 0, stdout: '', stderr: 'no proposal waits for approval\n' });
  });

  test('says what the API server refused', async () => {
    const answer = await berth(['reject', '--all'], () =>
      Promise.reject(new PortError('Forbidden', { operation: 'list decisions', message: 'no' })),
    );
    expect(answer).toEqual({ code: 1, stdout: '', stderr: 'berth reject: list decisions: no\n' });
  });
});

describe('what is written to Decisions', () => {
  let server: FakeApiServer;
  let folder: string;
  beforeEach(async () => {
    server = await FakeApiServer.start();
    folder = mkdtempSync(join(tmpdir(), 'berth-verdict-'));
    writeFileSync(join(folder, 'config'), kubeconfigOf(server.url));
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = (names: VerdictRequest['names'], verdict: VerdictRequest['verdict'] = 'approved') =>
    giveVerdicts({
      ...{ kubeconfig: join(folder, 'config'), context: undefined, verdict, names },
      reason: 'go',
    });
  const patches = (): readonly unknown[] =>
    server.requests
      .filter(({ method }) => method === 'PATCH')
      .map(({ path, body }) => [path, JSON.parse(body) as unknown]);
  const user: Answer = json(201, { status: { userInfo: { username: 'ana@example.com' } } });

  test('is the word, the user as the API server knows them, and the reason; only for the version that was read', async () => {
    server.answerNext('other', user, json(200, object(WAITING)), json(200, {}));
    expect(await ask(['launch-1'])).toEqual([
      { name: 'launch-1', by: 'ana@example.com', isWritten: true, message: WAITING.spec.message },
    ]);
    expect(patches()).toEqual([
      [
        '/apis/berth.sh/v1/decisions/launch-1',
        {
          metadata: {
            resourceVersion: '1',
            annotations: {
              'berth.sh/approval': 'approved',
              'berth.sh/approval-by': 'ana@example.com',
              'berth.sh/approval-reason': 'go',
            },
          },
        },
      ],
    ]);
  });

  test('has the name that an API server of Kubernetes 1.27 says', async () => {
    server.answerNext('other', status(404, {}), user, json(200, object(WAITING)), json(200, {}));
    expect(await ask(['launch-1'])).toMatchObject([{ by: 'ana@example.com', isWritten: true }]);
    const reviews = server.requests.filter(({ method }) => method === 'POST');
    expect(reviews.map(({ path }) => path)).toEqual([
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      '/apis/authentication.k8s.io/v1beta1/selfsubjectreviews',
    ]);
  });

  test.each([
    ['has no review', [status(404, {}), status(404, {})], 'it has no SelfSubjectReview (Kubernetes 1.27)'],
    ['refuses the review', [status(403, { message: 'no basic user' })], 'no basic user'],
    ['answers without a name', [json(201, { status: {} })], 'the answer has no name of a user'],
  ])('is nothing, and no other name is taken, where the API server %s', async (_, answers, why) => {
    server.answerNext('other', ...answers);
    await expect(ask(['launch-1'])).rejects.toThrow(`read the name of your user: `);
    server.answerNext('other', ...answers);
    await expect(ask(['launch-1'])).rejects.toThrow(why);
    expect(patches()).toEqual([]);
  });

  test('is tried again after a change by another client, unless that has decided it', async () => {
    const decided = object({ ...WAITING, verdict: { verdict: 'rejected', by: 'bo', reason: '' } });
    server.answerNext('other', user, json(200, object(WAITING)), status(409, {}), json(200, decided));
    expect(await ask(['launch-1'])).toMatchObject([
      { isWritten: false, message: 'approve launch-1: it was rejected by bo already' },
    ]);
  });

  test.each([
    ['a Decision that proposes nothing', decision({ name: 'launch-1' }), 'it proposes nothing'],
    [
      'one that does not wait any more',
      {
        ...WAITING,
        outcome: 'its pods are gone',
        progress: { phase: 'Superseded', by: '', since: 0 },
      } as const,
      'it does not wait: Superseded, its pods are gone',
    ],
  ])('is nothing for %s', async (_, found, why) => {
    server.answerNext('other', user, json(200, object(found)));
    expect(await ask(['launch-1'], 'rejected')).toMatchObject([
      { isWritten: false, message: `reject launch-1: ${why}` },
    ]);
    expect(patches()).toEqual([]);
  });

  test('with all, is written to those that wait', async () => {
    const done = {
      ...WAITING,
      name: 'launch-2',
      progress: { phase: 'CarriedOut', by: '', since: 0 },
    } as const;
    const items = [decision({ name: 'other' }), WAITING, done].map(object);
    server.answerNext('other', json(200, { items }), user, json(200, object(WAITING)), json(200, {}));
    expect(await ask('all')).toMatchObject([{ name: 'launch-1', isWritten: true }]);
    expect(patches()).toHaveLength(1);
  });
});

function object(found: Decision): JsonObject {
  return encodeDecision(found);
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
  });
}
