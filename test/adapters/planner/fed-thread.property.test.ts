import fc from 'fast-check';
import { AskedTask } from '../../../src/adapters/planner/messages/asked-task.js';
import { ClusterCopy } from '../../../src/adapters/planner/messages/cluster-copy.js';
import type { PlannerMessage } from '../../../src/adapters/planner/messages/message.js';
import { Outbox } from '../../../src/adapters/planner/messages/outbox.js';
import { solver, type Solve } from '../../../src/adapters/planner/solve.js';
import { taskOf, type PlannerAnswer, type PlannerQuestion } from '../../../src/adapters/planner/task.js';
import { MessageWriter } from '../../../src/adapters/planner/messages/message-writer.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { RUNS } from '../../planning/laws/plan-of.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { CHANGES, questionAbout } from './changing-cluster.js';
import { text } from './text.js';

/** A planner of a cluster whose thread is served by hand; what goes between them is copied as it is between threads. */
class Sides {
  readonly cluster = new Cluster();
  readonly #outbox = new Outbox(this.cluster, () => undefined);
  readonly #mostSent: number;
  /** undefined: there is no thread. */
  #messages: ReturnType<MessageWriter['messages']> | undefined;
  #copy = new ClusterCopy();
  #solve: Solve = solver(new VirtualClock());
  /** The answer of an inline planner at the moment of the question, by the question's number. */
  readonly #expected = new Map<number, string>();
  /** Numbers of questions that were answered as expected, and of others. */
  readonly right: number[] = [];
  readonly wrong: number[] = [];
  #begun: AskedTask | undefined;
  #asked = 0;

  constructor(mostSent: number) {
    this.#mostSent = mostSent;
  }

  ask(question: PlannerQuestion, signal?: AbortSignal): void {
    const id = ++this.#asked;
    const inline = solver(new VirtualClock());
    this.#expected.set(id, answerText(inline(taskOf(this.cluster, question))));
    const task = new AskedTask(id, question, { cluster: this.cluster, signal });
    task.answer.catch(() => undefined);
    this.#outbox.ask(task);
  }

  /** So many messages go over, as far as there are any. */
  deliver(count: number): void {
    for (let sent = 0; sent < count; sent++) {
      this.#begun ??= this.#outbox.begin();
      if (this.#begun !== undefined) this.#messages ??= this.#start();
      const message = this.#messages?.next().value;
      if (message === undefined) return;
      this.#receive(message);
    }
  }

  /** The thread ends; the question that was begun is not answered. Another starts with the next. */
  die(): void {
    if (this.#begun !== undefined) this.#outbox.end(this.#begun);
    this.#begun = undefined;
    this.#messages = undefined;
  }

  #start(): ReturnType<MessageWriter['messages']> {
    this.#outbox.restart();
    this.#copy = new ClusterCopy();
    this.#solve = solver(new VirtualClock());
    return new MessageWriter(this.#mostSent).messages(this.#outbox);
  }

  #receive(message: PlannerMessage): void {
    const question = this.#copy.take(structuredClone(message));
    if (question === undefined) return;
    this.#begun = undefined;
    const { id } = question;
    const isRight = answerText(this.#solve(question.task())) === this.#expected.get(id);
    (isRight ? this.right : this.wrong).push(id);
  }
}

function answerText(answer: PlannerAnswer): string {
  return 'plan' in answer ? text(answer.plan) : text([answer.answer, answer.census]);
}

const seed = fc.nat(9999);
const steps = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ step: fc.constant('change'), which: fc.nat(CHANGES.length - 1), seed }),
    },
    { weight: 4, arbitrary: fc.record({ step: fc.constant('ask'), which: fc.nat(5), seed }) },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('deliver'), which: fc.nat(9), seed }) },
    { weight: 3, arbitrary: fc.record({ step: fc.constantFrom('die', 'cancel'), which: fc.nat(9), seed }) },
  ),
  { minLength: 5, maxLength: 80, size: 'max' },
);

function play(sides: Sides, story: readonly { step: string; which: number; seed: number }[]): void {
  const stops: AbortController[] = [];
  for (const { step, which, seed: number } of story) {
    const kind = which === 0 ? 'disrupt' : 'plan';
    if (step === 'change') CHANGES[which]?.(sides.cluster, number);
    else if (step === 'ask') {
      const stop = new AbortController();
      stops.push(stop);
      sides.ask(questionAbout(sides.cluster, kind, number), stop.signal);
    } else if (step === 'deliver') sides.deliver(which);
    else if (step === 'die') sides.die();
    else stops[stops.length - 1 - (which % 3)]?.abort();
  }
}

describe('a thread that receives the changes of the cluster', () => {
  test('answers each question as an inline planner does at the moment of the question, whatever comes in between', () => {
    let answered = 0;
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 9 }), (story, mostSent) => {
        const sides = new Sides(mostSent);
        for (const change of CHANGES) change(sides.cluster, 1);
        play(sides, story);
        sides.ask(questionAbout(sides.cluster, 'plan', 3));
        sides.ask(questionAbout(sides.cluster, 'disrupt', 4));
        sides.deliver(Infinity);
        answered += sides.right.length;
        return sides.wrong.length === 0 && sides.right.length >= 2;
      }),
      { numRuns: RUNS.numRuns },
    );
    expect(answered).toBeGreaterThan(4 * RUNS.numRuns);
  });
});
