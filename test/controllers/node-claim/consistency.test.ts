import { consistencyOf } from '../../../src/controllers/node-claim/consistency.js';
import { nodeClaimSpec } from '../../support/builders/node-claim.js';
import { amounts } from '../../support/builders/pod.js';

const TYPE = amounts({ cpu: '4', memory: '16Gi', 'nvidia.com/gpu': '1' });

describe('consistencyOf', () => {
  test.each([
    ['all', { cpu: '4', memory: '16Gi' }, []],
    ['nine tenths', { cpu: '3600m', memory: '16Gi' }, []],
    ['less cpu', { cpu: '3500m', memory: '16Gi' }, ['3500m instead of 4 cpu']],
    ['neither', { cpu: '2', memory: '8Gi' }, ['2 instead of 4 cpu', '8Gi instead of 16Gi memory']],
    ['no memory', { cpu: '4' }, ['0 instead of 16Gi memory']],
  ])('a node with %s of what is asked for', (_what, capacity, issues) => {
    const spec = nodeClaimSpec({ requests: amounts({ cpu: '1', memory: '1Gi', 'example.com/other': '1' }) });
    expect(consistencyOf({ spec }, { capacity: amounts(capacity) }, TYPE)).toEqual(
      issues.length === 0
        ? { type: 'ConsistentStateFound', status: 'True' }
        : {
            type: 'ConsistentStateFound',
            status: 'False',
            reason: 'ConsistencyCheckFailed',
            message: `the node has ${issues.join(', ')}`,
          },
    );
  });
});
