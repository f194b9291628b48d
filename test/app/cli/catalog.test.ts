/** `berth catalog`. */
import { parse } from 'yaml';
import type { CatalogueFile } from '../../../src/clouds/aws/catalogue/file/catalogue-file.js';
import { runBerth } from '../support/run-berth.js';

async function listed(...flags: readonly string[]): Promise<CatalogueFile> {
  const { stdout } = await runBerth(['catalog', '-o', 'json', ...flags]);
  return JSON.parse(stdout) as CatalogueFile;
}

async function names(...flags: readonly string[]): Promise<readonly string[]> {
  return (await listed(...flags)).instanceTypes.map(({ name }) => name);
}

describe('berth catalog', () => {
  test('shows one line per type with what it holds and costs', async () => {
    const { code, stdout, stderr } = await runBerth(['catalog', '--family', 'm5', '--cpu', '2..4']);
    expect(code).toBe(0);
    const [header, ...rows] = stdout.split('\n');
    expect(header).toBe(
      'NAME       VCPU  MEMORY  ARCH   GPU  PODS  NETWORK  ON-DEMAND     SPOT  ALLOC-CPU  ALLOC-MEMORY',
    );
    expect(rows).toEqual([
      expect.stringMatching(/^m5\.large {6}2 {5}8Gi {2}amd64 {2}- {6}29 .* 0\.0960 {2}~0\.\d{4} {7}1\.93 /),
      expect.stringMatching(/^m5\.xlarge {5}4 {4}16Gi {2}amd64 {2}- {6}58 .* 0\.1920 {2}~0\.\d{4} {7}3\.92 /),
      '',
    ]);
    expect(stderr).toBe('2 instance types in us-east-1\n');
  });

  test('filters by every property together, and sorts by the cheapest offering', async () => {
    const flags = [
      '--cpu',
      '4..8',
      '--memory',
      '..32',
      '--arch',
      'arm64',
      '--generation',
      '7..',
      '--category',
      'c,m',
    ];
    const found = await listed(...flags, '--capacity-type', 'on-demand', '--sort', 'price');
    expect(found.instanceTypes.length).toBeGreaterThan(5);
    const prices = found.instanceTypes.map(({ offerings }) =>
      Math.min(...offerings.map(({ price }) => price)),
    );
    expect(prices).toEqual([...prices].sort((left, right) => left - right));
    for (const type of found.instanceTypes) {
      expect(type).toMatchObject({ arch: 'arm64', name: expect.stringMatching(/^[cm][789]/) as unknown });
      expect(type.vcpu).toBeGreaterThanOrEqual(4);
      expect(type.vcpu).toBeLessThanOrEqual(8);
      expect(type.memoryMiB).toBeLessThanOrEqual(32 * 1024);
      expect(type.offerings.map(({ capacityType }) => capacityType)).not.toContain('spot');
    }
  });

  test('knows GPUs', async () => {
    expect(await names('--gpu', '8', '--family', 'p4d')).toEqual(['p4d.24xlarge']);
    expect(await names('--gpu', '1..', '--family', 'm5')).toEqual([]);
  });

  test('takes the region of a zone that is named, and says nothing on stdout about types there are none of', async () => {
    const { region, instanceTypes } = await listed('--zone', 'eu-west-3b', '--family', 'm5', '--limit', '1');
    expect(region).toBe('eu-west-3');
    expect(instanceTypes[0]?.offerings.map(({ zone }) => zone)).toEqual(['eu-west-3b', 'eu-west-3b']);
    const { code, stderr } = await runBerth([
      'catalog',
      '--zone',
      'eu-west-3a',
      '--cpu',
      '999',
      '-o',
      'json',
    ]);
    expect([code, stderr]).toEqual([0, 'no instance type matches\n']);
  });

  test('prints a file that --catalog reads back to the same', async () => {
    const { stdout } = await runBerth(['catalog', '--region', 'eu-west-3', '-o', 'json']);
    const files = { 'catalog.json': stdout };
    const again = await runBerth(['catalog', '--catalog', 'catalog.json', '-o', 'json'], { files });
    expect(again.stdout).toBe(stdout);
    expect(again.stderr).toBe('');
  });

  test('reads and prints YAML too', async () => {
    const { stdout } = await runBerth(['catalog', '--family', 'm5', '-o', 'yaml']);
    expect(parse(stdout)).toEqual(await listed('--family', 'm5'));
    const files = { 'catalog.yaml': stdout };
    const again = await runBerth(['catalog', '--catalog', 'catalog.yaml', '-o', 'yaml'], { files });
    expect(again.stdout).toBe(stdout);
  });

  test.each([
    [['--region', 'eu-wst-3'], /--region eu-wst-3: unknown region; did you mean eu-west-3\?/],
    [['--cpu', 'many'], /--cpu "many": expected a number or a range such as 4\.\.16/],
    [['--cpu', '8..4'], /the first number is larger/],
    [['--limit', '0'], /--limit 0: expected a positive whole number/],
    [['--limit', '-3'], /--limit -3: expected a positive whole number/],
    [
      ['--zone', 'mars-1a'],
      /--zone mars-1a: unknown zone \(us-east-1 has us-east-1a, us-east-1b, us-east-1c\)/,
    ],
    [['--family', 'm7gg'], /--family m7gg: no instance type in us-east-1 matches; did you mean m7gd?/],
    [
      ['--arch', 'arm'],
      /--arch arm: expected one of amd64, arm64; did you mean arm64\?|expected one of amd64, arm64/,
    ],
    [['--catalog', 'nowhere.json'], /nowhere\.json: no such file/],
    [['--catalog', 'broken.json'], /broken\.json: not JSON: /],
    [['--catalog', 'broken.yaml'], /broken\.yaml: not YAML: /],
    [
      ['--catalog', 'wrong.json'],
      /wrong\.json: error: instanceTypes\[0\]\.vcpu: instance type x1\.y: vcpu must be/,
    ],
    [
      ['--catalog', 'good.json', '--region', 'us-west-2'],
      /--region us-west-2: the catalog file good\.json is for x-1/,
    ],
  ])('refuses %j', async (flags, message) => {
    const files = {
      'broken.json': '{"region": ',
      'broken.yaml': 'region: [',
      'wrong.json': JSON.stringify({
        region: 'x-1',
        instanceTypes: [{ name: 'x1.y', vcpu: '4', memoryMiB: 1, arch: 'arm64', maxPods: 1, offerings: [] }],
      }),
      'good.json': '{"region": "x-1", "instanceTypes": []}',
    };
    const { code, stdout, stderr } = await runBerth(['catalog', ...flags], { files });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
