/** Who may approve a proposal, and in whose name: decided by the API server, whatever client asks. */
import { join } from 'node:path';
import { encodeDecision } from '../../../../src/apis/berth/decision.js';
import { decision, proposalSpec } from '../../../support/builders/decision.js';
import { berthCommand, type CommandAnswer } from '../../berth/berth-command.js';
import { DECISIONS } from '../../berth/kinds.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { applyCustomResources } from '../apply-custom-resources.js';

const MANIFESTS = join(import.meta.dirname, '../../../../manifests');
const NOT_THEIRS = 'berth.sh/approval-by must be the name of the user who makes the request';

describe('approvals', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({
      controllers: ['clusterrole-aggregation-controller'],
      users: { ana: ['on-call'], bo: ['on-call'], guest: [] },
    });
    await applyCustomResources(cluster);
    for (const file of ['rbac/approver.yaml', 'base/approvals.yaml'])
      await cluster.kubectl(['apply', '-f', join(MANIFESTS, file)]);
    const binding = ['clusterrolebinding', 'on-call-approves', '--clusterrole=berth-approver'];
    await cluster.kubectl(['create', ...binding, '--group=on-call']);
    await eventually('the role has its rules', () => asUser('ana', 'get', 'decisions').then(() => true));
    let probes = 0;
    // The API server compiles a policy some time after it was created. What was forged before cannot be taken back then.
    await eventually('the policy is enforced', async () => {
      const probe = `probe-${String(probes++)}`;
      await proposed(probe);
      const forged = await annotated('ana', probe, ['berth.sh/approval=approved', 'berth.sh/approval-by=bo']);
      return forged.includes(NOT_THEIRS);
    });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  const TAKEN_BACK = ['berth.sh/approval-', 'berth.sh/approval-by-'];

  async function proposed(name: string): Promise<void> {
    const { apiVersion, kind, spec } = encodeDecision(decision({ name, spec: proposalSpec() }));
    await cluster.api.create(DECISIONS, { apiVersion, kind, metadata: { name }, spec });
  }

  function asUser(user: string, ...args: readonly string[]): Promise<string> {
    return cluster.kubectl(args, { user });
  }

  /** What kubectl complains of; '' when it was written. */
  function annotated(user: string, name: string, annotations: readonly string[]): Promise<string> {
    return asUser(user, 'annotate', '--overwrite', 'decision', name, ...annotations).then(
      () => '',
      (error: unknown) => String(error),
    );
  }

  function berth(user: string, ...words: readonly string[]): Promise<CommandAnswer> {
    return berthCommand(words, { kubeconfig: () => cluster.kubeconfig(user) });
  }

  async function verdictOf(name: string): Promise<unknown> {
    const { metadata } = await cluster.api.get(DECISIONS, { name });
    return metadata.annotations;
  }

  test('berth approve writes the name by which the API server knows the user', async () => {
    await proposed('launch-1');
    expect(await berth('ana', 'approve', 'launch-1', '--reason', 'go')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await verdictOf('launch-1')).toEqual({
      'berth.sh/approval': 'approved',
      'berth.sh/approval-by': 'ana',
      'berth.sh/approval-reason': 'go',
    });
  });

  test('who is no approver can neither approve nor reject, with no client', async () => {
    await proposed('launch-2');
    const answer = await berth('guest', 'reject', 'launch-2');
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain('User "guest" cannot get resource "decisions"');
    const own = ['berth.sh/approval=approved', 'berth.sh/approval-by=guest'];
    expect(await annotated('guest', 'launch-2', own)).toContain('Forbidden');
    expect(await verdictOf('launch-2')).toBeUndefined();
  });

  test('an approver can approve in no other name, and without a name neither', async () => {
    await proposed('launch-3');
    const forged = ['berth.sh/approval=approved', 'berth.sh/approval-by=bo'];
    expect(await annotated('ana', 'launch-3', forged)).toContain(NOT_THEIRS);
    expect(await annotated('ana', 'launch-3', ['berth.sh/approval=approved'])).toContain(NOT_THEIRS);
    expect(await verdictOf('launch-3')).toBeUndefined();
  });

  test('the first word counts: it is neither changed nor taken back nor given to another', async () => {
    await proposed('launch-4');
    expect(await berth('bo', 'reject', 'launch-4')).toMatchObject({ code: 0 });
    const said = await verdictOf('launch-4');
    const again = ['berth.sh/approval=approved', 'berth.sh/approval-by=ana'];
    for (const words of [again, TAKEN_BACK, ['berth.sh/approval-by=ana'], ['berth.sh/approval-reason=x']])
      expect(await annotated('ana', 'launch-4', words)).toContain('approved or rejected already');
    expect(await verdictOf('launch-4')).toEqual(said);
  });
});
