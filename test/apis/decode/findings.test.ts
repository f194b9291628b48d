import { issuesOf, nodePool, templateSpec } from '../policies-as-written.js';

describe('Findings', () => {
  test('lists the first hundred issues of a document and counts the rest', () => {
    const labels = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`-${String(index)}`, 'x']));
    const issues = issuesOf(nodePool({ template: { metadata: { labels }, spec: templateSpec() } }));
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toMatchObject({
      severity: 'error',
      code: 'more',
      message: 'has 4901 more errors that are not listed',
    });
  });
});
