/** Which region and zones documents are about. */
import { furtherZones, namedRegions, type ZoneNaming } from '../../../src/app/input/named-zones.js';
import { oneOf, requiredTerms, nodeTerm } from '../../support/builders/constraints.js';
import { nodePool } from '../../support/builders/node-pool.js';
import { node } from '../../support/builders/node.js';
import { pod } from '../../support/builders/pod.js';
import { persistentVolume } from '../../support/builders/volume.js';

const ZONE = 'topology.kubernetes.io/zone';

const NOTHING: ZoneNaming = { pools: [], nodes: [], persistentVolumes: [], storageClasses: [], pods: [] };

function regions(naming: Partial<ZoneNaming>): readonly string[] {
  return namedRegions({ ...NOTHING, ...naming });
}

function poolIn(...zones: readonly string[]): ZoneNaming['pools'][number] {
  return nodePool({ requirements: [oneOf(ZONE, ...zones)] });
}

describe('namedRegions', () => {
  test.each([
    ['eu-west-3a', 'eu-west-3'],
    ['us-gov-east-1b', 'us-gov-east-1'],
    ['us-west-2-lax-1a', 'us-west-2'],
    ['ap-southeast-1c', 'ap-southeast-1'],
  ])('takes %s to be in %s', (zone, region) => {
    expect(regions({ pools: [poolIn(zone)] })).toEqual([region]);
  });

  test('finds nothing in zones that are not of AWS, or of regions without prices', () => {
    expect(regions({ pools: [poolIn('test-zone-1', 'europe', 'xx-nowhere-1a')] })).toEqual([]);
  });

  test('lets pools decide over nodes, and nodes over pods', () => {
    const nodes = [node({ zone: 'us-west-2a', labels: { 'topology.kubernetes.io/region': 'us-west-2' } })];
    const pods = [pod({ nodeSelector: { [ZONE]: 'ap-south-1a' } })];
    expect(regions({ pools: [poolIn('eu-west-3a')], nodes, pods })).toEqual(['eu-west-3']);
    expect(regions({ pools: [nodePool()], nodes, pods })).toEqual(['us-west-2']);
    expect(regions({ pods })).toEqual(['ap-south-1']);
  });

  test('reads node affinity of pods and the zones of volumes', () => {
    const nodeAffinity = requiredTerms(nodeTerm(oneOf(ZONE, 'eu-central-1b')));
    expect(regions({ pods: [pod({ nodeAffinity })] })).toEqual(['eu-central-1']);
    expect(regions({ persistentVolumes: [persistentVolume({ zone: 'eu-north-1a' })] })).toEqual([
      'eu-north-1',
    ]);
  });

  test('ranks several regions by how often they are named, then by name', () => {
    expect(regions({ pools: [poolIn('us-east-1a', 'eu-west-3a', 'eu-west-3b', 'ap-south-1a')] })).toEqual([
      'eu-west-3',
      'ap-south-1',
      'us-east-1',
    ]);
  });
});

describe('furtherZones', () => {
  test('are those beyond c that pools and what exists name, not those that only pods wish for', () => {
    const naming = {
      ...NOTHING,
      pools: [poolIn('us-east-1a', 'us-east-1f', 'us-west-2d', 'us-east-1x')],
      persistentVolumes: [persistentVolume({ zone: 'us-east-1d' })],
      pods: [pod({ nodeSelector: { [ZONE]: 'us-east-1e' } })],
    };
    expect(furtherZones(naming, 'us-east-1')).toEqual(new Set(['us-east-1f', 'us-east-1d']));
  });
});
