/** Domains: the same number for the same value of a key, whether a node has it or an offering would. */
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { Domains, NEW_HOST, NO_DOMAIN } from '../../../src/planning/model/constraints/domains.js';
import type { NodeView } from '../../../src/planning/model/constraints/node-constraint.js';
import { labels, type LabelRecord } from '../../support/builders/pod.js';

function view(record: LabelRecord): NodeView {
  return { labels: labels(record), fields: labels(), taints: [], features: undefined };
}

describe('Domains', () => {
  const nodes = [view({ [ZONE]: 'a' }), view({ [ZONE]: 'b', rack: 'r1' }), view({})];
  const columns = [view({ [ZONE]: 'b' }), view({ [ZONE]: 'c' })];
  const domains = new Domains(nodes, columns);
  const ofNode = (target: number) => ({ target, column: -1 });
  const ofColumn = (column: number, target = NEW_HOST) => ({ target, column });

  test('gives a node and a column with one value the same domain', () => {
    expect(domains.at(ZONE, ofNode(1))).toBe(domains.at(ZONE, ofColumn(0)));
    expect(domains.at(ZONE, ofNode(0))).not.toBe(domains.at(ZONE, ofNode(1)));
  });

  test('knows the value of every domain', () => {
    const places = [ofNode(0), ofNode(1), ofColumn(0), ofColumn(1)];
    expect(places.map((place) => domains.value(ZONE, domains.at(ZONE, place)))).toEqual(['a', 'b', 'b', 'c']);
  });

  test('gives an opened claim the domain of its column', () => {
    expect(domains.at(ZONE, ofColumn(1, 7))).toBe(domains.at(ZONE, ofColumn(1)));
  });

  test('has no domain for places without the label', () => {
    expect(domains.at(ZONE, ofNode(2))).toBe(NO_DOMAIN);
    expect(domains.at('rack', ofColumn(0))).toBe(NO_DOMAIN);
    expect(domains.value(ZONE, NO_DOMAIN)).toBeUndefined();
  });

  test('takes every claim for a host of its own, and a column not opened yet for a new one', () => {
    expect([ofColumn(0, 3), ofColumn(0)].map((place) => domains.at(HOSTNAME, place))).toEqual([3, NEW_HOST]);
  });

  test('takes nodes of one hostname for one host, and one without a hostname for none', () => {
    const hosts = ['a', 'b', 'a'].map((name) => view({ [HOSTNAME]: name }));
    const named = new Domains([...hosts, view({})], []);
    expect([0, 1, 2, 3].map((node) => named.at(HOSTNAME, ofNode(node)))).toEqual([0, 1, 0, NO_DOMAIN]);
  });
});
