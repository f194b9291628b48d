/** Conditions of objects under the names of operatorpkg. */
import type { Condition } from '../../../src/domain/values/condition.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { policyStatus } from '../../support/builders/policy-status.js';
import { measured, stopMeasuring } from './measured.js';

afterEach(stopMeasuring);

function condition(status: Condition['status'], lastTransitionTime: number, type = 'Launched'): Condition {
  return {
    type,
    status,
    reason: status === 'True' ? type : 'LaunchRequested',
    message: '',
    lastTransitionTime,
  };
}

const OF_POOL = 'karpenter_k8s_aws_ec2nodeclass="default",karpenter_sh_nodepool="general"';

test('a condition is counted by object, status and reason, with its age and its transitions', async () => {
  const { clock, cluster, read } = await measured();
  const start = clock.now();
  const claim = nodeClaim({ status: { conditions: [condition('Unknown', start)] } });
  cluster.put('NodeClaim', claim);
  await clock.advance(12_000);
  const launched = { ...claim.status, conditions: [condition('True', start + 12_000)] };
  cluster.put('NodeClaim', { ...claim, resourceVersion: '2', status: launched });
  await clock.advance(3_000);
  const labels = `{name="general-1",type="Launched",status="True",reason="Launched",${OF_POOL}}`;
  expect(await read('operator_nodeclaim_status_condition_count')).toEqual([`${labels} 1`]);
  expect(await read('operator_nodeclaim_status_condition_current_status_seconds')).toEqual([`${labels} 3`]);
  expect(await read('operator_nodeclaim_status_condition_transitions_total')).toEqual([
    `{type="Launched",status="Unknown",reason="LaunchRequested",${OF_POOL}} 1`,
    `{type="Launched",status="True",reason="Launched",${OF_POOL}} 1`,
  ]);
  expect(await read('operator_nodeclaim_status_condition_transition_seconds_sum')).toEqual([
    `{type="Launched",status="Unknown",to_status="True",${OF_POOL}} 12`,
  ]);
  expect(await read('operator_status_condition_count')).toEqual([
    '{name="general-1",type="Launched",status="True",reason="Launched",group="berth.sh",kind="NodeClaim"} 1',
  ]);
});

test('how long an object takes to go is measured while it goes, and once it is gone', async () => {
  const { clock, cluster, read } = await measured();
  const claim = nodeClaim({ deletionTimestamp: clock.now() });
  cluster.put('NodeClaim', claim);
  await clock.advance(40_000);
  expect(await read('operator_nodeclaim_termination_current_time_seconds')).toEqual([
    `{name="general-1",${OF_POOL}} 40`,
  ]);
  cluster.delete('NodeClaim', claim.name);
  expect(await read('operator_nodeclaim_termination_current_time_seconds')).toEqual([]);
  expect(await read('operator_nodeclaim_termination_duration_seconds_sum')).toEqual([`{${OF_POOL}} 40`]);
});

test('nodes and policies have their conditions, too', async () => {
  const { clock, cluster, read } = await measured();
  const since = clock.now();
  cluster.put(
    'Node',
    observedNode({ name: 'n1', conditions: [{ type: 'Ready', status: 'True', reason: '', since }] }),
  );
  cluster.put('PolicyStatus', policyStatus({ conditions: [condition('True', since, 'Ready')] }));
  expect(await read('operator_node_status_condition_count')).toEqual([
    '{name="n1",type="Ready",status="True"} 1',
  ]);
  expect(await read('operator_nodepool_status_condition_count')).toEqual([
    '{name="general",type="Ready",status="True",reason="Ready"} 1',
  ]);
  cluster.delete('PolicyStatus', 'nodepool.general');
  expect(await read('operator_nodepool_status_condition_count')).toEqual([]);
});

test('the conditions of many objects are added up, with the oldest age, unless detail is full', async () => {
  const bounded = await measured();
  const full = await measured({ detail: 'full' });
  const now = bounded.clock.now();
  for (let index = 0; index < 101; index++)
    for (const { cluster } of [bounded, full])
      cluster.put(
        'NodeClaim',
        nodeClaim({
          name: `general-${String(index)}`,
          status: { conditions: [condition('True', now - index * 1000)] },
        }),
      );
  const labels = `{type="Launched",status="True",reason="Launched",${OF_POOL}}`;
  expect(await bounded.read('operator_nodeclaim_status_condition_count')).toEqual([`${labels} 101`]);
  expect(await bounded.read('operator_nodeclaim_status_condition_current_status_seconds')).toEqual([
    `${labels} 100`,
  ]);
  expect(await full.read('operator_nodeclaim_status_condition_count')).toHaveLength(101);
});
