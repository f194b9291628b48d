import { AccountLines } from '../../../world/demo/account/account-lines.js';
import type { NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import { decision, decisionSpec } from '../../support/builders/decision.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedPod } from '../../support/builders/observed-pod.js';

const LAUNCHED: Partial<NodeClaimStatus> = {
  instanceType: 'c6g.xlarge',
  capacityType: 'spot',
  zone: 'eu-west-3a',
  hourlyPrice: 0.05,
  nodeName: 'ip-10-0-0-1',
  conditions: ['Launched', 'Ready'].map((type) => ({
    type,
    status: 'True' as const,
    reason: type,
    message: '',
    lastTransitionTime: 0,
  })),
};

describe('the account of a demo', () => {
  test('instances of one offering that are launched together are one line', () => {
    const lines = new AccountLines();
    for (const name of ['general-1', 'general-2']) {
      const before = nodeClaim({ name });
      lines.claimChanged({ key: name, before: undefined, after: before });
      lines.claimChanged({ key: name, before, after: nodeClaim({ name, status: LAUNCHED }) });
    }
    expect(lines.flush().map(({ verb, text }) => `${verb}: ${text}`)).toEqual([
      'plan: 2 NodeClaims of NodePool general',
      'launch: 2 x c6g.xlarge spot in eu-west-3a, 0.1000 USD/h, for NodePool general',
      'ready: ip-10-0-0-1, ip-10-0-0-1 of NodePool general',
    ]);
    expect(lines.flush()).toEqual([]);
  });

  test('pods are listed once, when they are bound, by namespace', () => {
    const lines = new AccountLines();
    const [pending, bound] = [undefined, 'node-1'].map((nodeName) =>
      observedPod({ namespace: 'shop', nodeName }),
    );
    lines.podChanged({ key: 'shop/pod', before: undefined, after: pending });
    lines.podChanged({ key: 'shop/pod', before: pending, after: bound });
    lines.podChanged({ key: 'shop/pod', before: bound, after: bound });
    expect(lines.flush()).toEqual([{ verb: 'bound', text: '1 pod: 1 of shop' }]);
  });

  test('a claim that goes tells what is saved', () => {
    const lines = new AccountLines();
    lines.claimChanged({ key: 'general-1', before: nodeClaim({ status: LAUNCHED }), after: undefined });
    expect(lines.flush()).toEqual([
      { verb: 'gone', text: 'ip-10-0-0-1 of NodePool general, 0.0500 USD/h less' },
    ]);
  });

  test('a Decision to disrupt is listed in its own words, one to launch is not listed twice', () => {
    const lines = new AccountLines();
    for (const action of ['Disrupt', 'Launch'] as const) {
      const after = decision({ spec: decisionSpec({ action, message: `${action}: why` }) });
      lines.decisionChanged({ key: action, before: undefined, after });
    }
    expect(lines.flush().map(({ verb, text }) => [verb, text.split(': ').slice(1).join(': ')])).toEqual([
      ['disrupt', 'Disrupt: why'],
    ]);
  });
});
