// The page docs/reference/karpenter-behaviour.md: what Karpenter's suites say of it, and where Berth does otherwise.
import { cellText } from './markdown.js';

/**
 * @typedef {{ name: string, facts: readonly { fact: string, differs?: string }[] }} Suite
 * @typedef {{ suite: string, fact: string }} LiveFact
 * @param {readonly Suite[]} suites @param {readonly LiveFact[]} liveFacts those that also run live @returns {string}
 */
export function behaviourPage(suites, liveFacts) {
  const live = new Set(liveFacts.map(({ suite, fact }) => `${suite}: ${fact}`));
  const facts = suites.flatMap((suite) => suite.facts);
  const differing = facts.filter(({ differs }) => differs !== undefined).length;
  return [
    "# Karpenter's behaviour",
    '',
    '<!-- Written by `make generate` from test/karpenter/behaviour: do not change it by hand. -->',
    '',
    `What the suites of Karpenter 1.15 say of disruption, static pools, buffers, reservations and budgets: ${facts.length} facts, each tried on`,
    `Berth by a test of test/karpenter/behaviour.test.ts. ${facts.length - differing} hold here as well; ${differing} differ, and what Berth does instead is said.`,
    '',
    `${live.size} facts, marked live, are also played by the real Karpenter and by Berth, each beside a real Kubernetes control plane with KWOK's`,
    'nodes, and what is seen is compared: `make behaviour-live` (test/live).',
    '',
    ...suites.flatMap(({ name, facts: own }) => [
      `## ${name}`,
      '',
      '| Karpenter | Berth | Live |',
      '| --- | --- | --- |',
      ...own.map(({ fact, differs }) => {
        const mark = live.has(`${name}: ${fact}`) ? 'live' : '';
        return `| ${cellText(fact)} | ${differs === undefined ? 'same' : cellText(differs)} | ${mark} |`;
      }),
      '',
    ]),
  ].join('\n');
}
