// The page docs/reference/karpenter-behaviour.md: what Karpenter's suites say of it, and where Berth does otherwise.
import { cellText } from './markdown.js';

/**
 * @typedef {{ name: string, facts: readonly { fact: string, differs?: string }[] }} Suite
 * @param {readonly Suite[]} suites @returns {string}
 */
export function behaviourPage(suites) {
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
    ...suites.flatMap(({ name, facts: own }) => [
      `## ${name}`,
      '',
      '| Karpenter | Berth |',
      '| --- | --- |',
      ...own.map(
        ({ fact, differs }) =>
          `| ${cellText(fact)} | ${differs === undefined ? 'same' : cellText(differs)} |`,
      ),
      '',
    ]),
  ].join('\n');
}
