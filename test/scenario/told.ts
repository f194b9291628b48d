/** What people are told: conditions of policies, Decisions, and the Events that kubectl describe shows. */
import type { OwnPool } from './own-pool.js';
import type { SeenDecision, SeenEvent, World } from './world.js';

/** A condition that is False: type, reason, part of the message. */
export async function expectCondition(
  world: World,
  subject: string,
  [type, reason, why]: readonly [string, string, string],
): Promise<void> {
  await world.until(
    `${subject} has ${type}=False, ${reason}: ${why}`,
    async () =>
      (await world.policies())
        .find(({ name }) => `PolicyStatus/${name}` === subject)
        ?.conditions.some(
          (each) =>
            each.type === type &&
            each.status === 'False' &&
            each.reason === reason &&
            each.message.includes(why),
        ),
    60,
  );
}

/** A Decision (action, reason, part of the message), and a warning Event of the same words. */
export async function expectTold(
  world: World,
  subject: string,
  [action, reason, why]: readonly [string, string, string],
): Promise<void> {
  const isIt = (each: SeenDecision): boolean => each.action === action && is(each, subject, [reason, why]);
  await world.until(
    `Decision ${action} ${reason} about ${subject}: ${why}`,
    async () => (await world.decisions()).some(isIt),
    60,
  );
  await expectEvent(world, subject, [reason, why]);
}

export async function expectEvent(
  world: World,
  subject: string,
  [reason, why]: readonly [string, string],
): Promise<void> {
  const isIt = (each: SeenEvent): boolean => each.type === 'Warning' && is(each, subject, [reason, why]);
  await world.until(
    `Event ${reason} about ${subject}: ${why}`,
    async () => (await world.events()).some(isIt),
    60,
  );
}

/** What a pod of the Deployment is told of why it gets no node, where that has these words. */
export async function unscheduledMessage(world: World, app: string, words: string): Promise<string> {
  const isIt = ({ subject, reason, message }: SeenEvent): boolean =>
    subject.startsWith(`Pod/default/${app}-`) && reason === 'FailedScheduling' && message.includes(words);
  const told = await world.until(
    `a pod of ${app} is told why it gets no node: ${words}`,
    async () => (await world.events()).find(isIt),
    60,
  );
  return told.message;
}

/** The pool's pods: a Decision not to place them, and the Event that kubectl describe shows. */
export async function expectPodsTold(
  world: World,
  pool: OwnPool,
  [reason, why]: readonly [string, string],
): Promise<void> {
  const [pod] = await world.until(
    `a pod of ${pool.name} is there`,
    async () => {
      const pods = await pool.podsOf(world, pool.name);
      return pods.length > 0 && pods;
    },
    60,
  );
  const subject = `Pod/default/${pod?.name ?? ''}`;
  const isIt = (each: SeenDecision): boolean => each.action === 'Refuse' && is(each, subject, [reason, why]);
  await world.until(
    `${subject} is refused, ${reason}: ${why}`,
    async () => (await world.decisions()).some(isIt),
    60,
  );
  await expectEvent(world, subject, ['FailedScheduling', why]);
}

function is(
  { subject, reason, message }: Pick<SeenDecision, 'subject' | 'reason' | 'message'>,
  wanted: string,
  [why, words]: readonly [string, string],
): boolean {
  return subject === wanted && reason === why && message.includes(words);
}
