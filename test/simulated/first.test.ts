import { deployment, nodeClass } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { SimulatedWorld } from './simulated-world.js';
import { writeFileSync, appendFileSync } from 'node:fs';

const OUT = '/tmp/s1prof/bad.txt';
writeFileSync(OUT, '');
const CASES: Record<string, (world: SimulatedWorld) => { cls?: any; pool?: any }> = {
  missing: () => ({ pool: { template: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'absent' } } } }),
  subnet: () => ({ cls: { subnetSelectorTerms: [{ tags: { team: 'nobody' } }] } }),
  al2: () => ({ cls: { amiSelectorTerms: [{ alias: 'al2@latest' }] } }),
  alias: () => ({ cls: { amiSelectorTerms: [{ alias: 'al2023@v20990101' }] } }),
  unknownalias: () => ({ cls: { amiSelectorTerms: [{ alias: 'ubuntu@latest' }] } }),
  refuse: (w) => { w.aws.deny('ec2:CreateFleet'); return {}; },
  refuseErr: (w) => { w.aws.faults.add({ action: 'ec2:CreateFleet', fault: { kind: 'error', code: 'InvalidParameterValue', message: 'no', status: 400 } }); return {}; },
  stock: (w) => { w.aws.setStock({}, 0); return {}; },
  throttled: (w) => { w.aws.faults.add({ action: 'ec2:CreateFleet', times: 5, fault: { kind: 'throttle' } }); return {}; },
  throttledForever: (w) => { w.aws.faults.add({ action: 'ec2:CreateFleet', fault: { kind: 'throttle' } }); return {}; },
  lost: (w) => { w.aws.faults.add({ action: 'ec2:CreateFleet', times: 1, fault: { kind: 'lost-answer' } }); return {}; },
};

test.each(Object.keys(CASES))('debug %s', async (name) => {
  const world = await SimulatedWorld.start();
  const { cls, pool } = CASES[name]!(world);
  const own = new OwnPool('own');
  await world.apply([nodeClass('default', cls), own.manifest(pool ?? {})]);
  await world.apply([deployment({ name: 'web', pod: own.wanted() })]);
  await world.quietFor(Number(process.env['QUIET'] ?? 200));
  const out = { policies: (await world.policies()).map((p) => [p.name, ...p.conditions.map((c) => JSON.stringify(c))]),
   events: (await world.events()).filter((e) => !/Scaling|SuccessfulCreate|Pulled|Created|Started/.test(e.reason)).map((e) => JSON.stringify(e)),
   decisions: (await world.decisions()).map((e) => JSON.stringify(e)),
   pods: (await world.pods()).map((p) => [p.nodeName, p.refusal]),
   claims: (await world.claims()).map((c) => JSON.stringify(c)),
   calls: world.aws.log.count('ec2:CreateFleet'),
   machines: world.machines().map((m) => m.state),
   warn: world.log.lines.filter((l) => l.level === 'warn' || l.level === 'error').map((l) => `${l.message} ${JSON.stringify(l.fields)} ${String(l.fields['error'] ?? '')}`) };
  appendFileSync(OUT, `=== ${name}\n${JSON.stringify(out, null, 1)}\n`);
  await world.close();
  expect(1).toBe(1);
}, 60000);
