import fc from 'fast-check';
import { DEFAULT_DEMAND_TERMS } from '../../../src/domain/pods/demand.js';
import { extenderVerbs, type ExtenderQuestion } from '../../../src/servers/extender/extender-verbs.js';
import { readBody, type WireBody } from '../../../src/servers/extender/wire-body.js';
import { WireError } from '../../../src/servers/extender/wire-fields.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { RoomLedger } from '../../../src/state/ledger/room-ledger.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { wirePod } from './scheduler-calls.js';

const clock = new VirtualClock();
const cluster = new Cluster();
for (const name of ['n1', 'n2']) cluster.put('Node', observedNode({ name }));
const target = { kind: 'Node', name: 'n1' } as const;
cluster.put('Reservation', reservation({ target, entries: [reservationEntry({ podUID: 'planned' })] }));
const ledger = new RoomLedger({ cluster, clock });
const preempting = {
  preemptWhileLaunching: false,
  demandTerms: DEFAULT_DEMAND_TERMS,
  planningMillis: 0,
};
const verbs = extenderVerbs({ cluster, ledger, clock, preempting, mostNodes: 2 });

/** Bodies that are nearly right, and such that are not. */
const body = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      Pod: fc.oneof(fc.constantFrom(wirePod('planned'), wirePod('other', '64')), fc.jsonValue()),
      NodeNames: fc.oneof(fc.array(fc.oneof(fc.constantFrom('n1', 'n2'), fc.string())), fc.jsonValue()),
      Nodes: fc.oneof(fc.constant({ items: [{ metadata: { name: 'n1' } }] }), fc.jsonValue()),
      NodeNameToMetaVictims: fc.oneof(
        fc.dictionary(fc.string(), fc.record({ Pods: fc.array(fc.record({ UID: fc.string() })) })),
        fc.jsonValue(),
      ),
      NodeNameToVictims: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);

/** What is answered, or what is thrown. */
function answersTo(ask: () => ExtenderQuestion): {
  readonly texts: readonly string[];
  readonly error?: unknown;
} {
  try {
    const question = ask();
    return { texts: [question.pass(), question.answer().text] };
  } catch (error) {
    return { texts: [], error };
  }
}

describe('extenderVerbs', () => {
  test.each(['filter', 'prioritize', 'preempt'] as const)(
    '%s answers any body with JSON, or says what is wrong with it',
    (verb) => {
      fc.assert(
        fc.property(body, (any) => {
          const { texts, error } = answersTo(() => verbs[verb]({ value: any }));
          expect(error === undefined || error instanceof WireError).toBe(true);
          for (const text of texts) expect(typeof JSON.parse(text)).toBe('object');
        }),
        { numRuns: 300 },
      );
    },
  );

  test('filter answers names of the request only, whatever these are', () => {
    const names = fc.uniqueArray(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('n1', 'n2')));
    const pods = fc.constantFrom(wirePod('planned'), wirePod('other'));
    fc.assert(
      fc.property(names, pods, (NodeNames, Pod) => {
        const { text } = verbs.filter({ value: { Pod, NodeNames } }).answer();
        const result = JSON.parse(Buffer.from(text, 'latin1').toString()) as { readonly NodeNames: string[] };
        for (const name of result.NodeNames) expect(NodeNames).toContain(name);
      }),
    );
  });

  test.each(['filter', 'prioritize'] as const)(
    '%s answers the same to names that are left as they were sent and to names that are parsed',
    (verb) => {
      const names = fc.shuffledSubarray(['n1', 'n2', 'n3'], { minLength: 1 });
      fc.assert(
        fc.property(names, fc.constantFrom('planned', 'other'), (NodeNames, uid) => {
          const asked = { Pod: wirePod(uid), NodeNames };
          const sent = readBody(Buffer.from(JSON.stringify(asked)), 10_000) as WireBody;
          expect(sent.names?.count).toBe(NodeNames.length);
          const [whole, parsed] = [sent, { value: asked }].map((each) => verbs[verb](each).answer());
          expect(JSON.parse(whole?.text ?? '')).toEqual(JSON.parse(parsed?.text ?? ''));
          expect(whole?.outcome).toBe(parsed?.outcome);
        }),
      );
    },
  );
});
