/** Policies read in a thread: as they are read here, and with an answer in time whatever the thread does. */
import '../../../src/app/clouds.js';
import { ThreadPolicyReader } from '../../../src/adapters/policies/index.js';
import { readPolicyConfigMap } from '../../../src/apis/berth/read-policy-config-map.js';
import type { PortError } from '../../../src/ports/port-error.js';
import { compiledProgram } from '../../support/compiled-program.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';

const DEADLINE = 1800;
const entry = compiledProgram(new URL('./faulty-policy-worker.ts', import.meta.url));

const POLICIES = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  disruption: {consolidateAfter: 1m, budgets: [{nodes: 10%, schedule: '0 9 * * *', duration: 8h}]}
  template:
    spec:
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
---
apiVersion: berth.sh/v1
kind: PodDefaults
metadata: {name: all}
spec: {architecture: arm64}
---
kind: Nonsense
`;

function configMap(name: string) {
  const metadata = { name, uid: 'u', resourceVersion: '1', labels: { 'berth.sh/policy': 'true' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'a.yaml': POLICIES } };
}

const open: ThreadPolicyReader[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((reader) => reader.close()));
});

function scene(maxWaiting = 16) {
  const clock = new VirtualClock();
  const { logger, lines } = recordingLogger();
  const reader = new ThreadPolicyReader({ entry, deadlineMillis: DEADLINE, maxWaiting, clock, logger });
  open.push(reader);
  return { clock, reader, lines };
}

/** Once it is answered the thread is at the next question. */
async function whileHanging({ clock, reader }: ReturnType<typeof scene>): Promise<unknown> {
  await reader.read(configMap('first'));
  const late = reader.read(configMap('hang')).catch((error: unknown) => error);
  await clock.advance(DEADLINE);
  return late;
}

describe('ThreadPolicyReader', () => {
  test('answers what reading here answers, with everything that planning needs of it', async () => {
    const { reader } = scene();
    const read = await reader.read(configMap('pools'));
    expect(read).toEqual(readPolicyConfigMap(configMap('pools')));
    expect(read.places.map(({ kind, name, line }) => [kind, name, line])).toEqual([
      ['NodePool', 'general', 3],
      ['PodDefaults', 'all', 13],
    ]);
  });

  test('ends a thread that is not done by the deadline, and the next question has another', async () => {
    const world = scene();
    expect(await whileHanging(world)).toMatchObject({ code: 'TimedOut' });
    expect((await world.reader.read(configMap('next'))).places).toHaveLength(2);
    expect(world.lines.map(({ message }) => message)).toEqual(['Replaced the policy reader thread']);
    expect(world.clock.pending).toBe(0);
  });

  test.each(['end', 'fail', 'eat'])(
    'answers that it is not available when the thread breaks: %s',
    async (how) => {
      const { reader, clock } = scene();
      expect(await reader.read(configMap(how)).catch((error: unknown) => error)).toMatchObject({
        code: 'Unavailable',
      });
      expect((await reader.read(configMap('next'))).places).toHaveLength(2);
      expect(clock.pending).toBe(0);
    },
  );

  test('takes no more questions than may wait, and forgets those whose time is over', async () => {
    const { reader, clock } = scene(2);
    const asked = ['hang', 'a', 'b'].map((name) =>
      reader.read(configMap(name)).catch((error: unknown) => (error as PortError).code),
    );
    await clock.advance(DEADLINE);
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer === 'RateLimited')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'TimedOut')).toHaveLength(2);
    expect((await reader.read(configMap('next'))).places).toHaveLength(2);
  });

  test('fails what is open when it is closed, and everything after', async () => {
    const { reader } = scene();
    const late = reader.read(configMap('hang')).catch((error: unknown) => error);
    await reader.close();
    expect(await late).toMatchObject({ code: 'Unavailable' });
    await expect(reader.read(configMap('next'))).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
