/** A cloud's answers about node classes, and the catalogue that goes with it: four types in three zones. */
import { readCatalogueFile, type Catalogue } from '../../src/clouds/aws/catalogue/index.js';
import type { NodeClass } from '../../src/domain/policies/node-class.js';
import type { ResolvedNodeClass } from '../../src/ports/cloud.js';
import { REGION, ZONES } from './builders/instance-type.js';

const TYPES = [
  { name: 'm5.large', vcpu: 2, memoryMiB: 8192, price: 0.096 },
  { name: 'm5.xlarge', vcpu: 4, memoryMiB: 16384, price: 0.192 },
  { name: 'c5.large', vcpu: 2, memoryMiB: 4096, price: 0.085 },
  { name: 'c5.xlarge', vcpu: 4, memoryMiB: 8192, price: 0.17 },
];

export function smallCloudCatalogue(): Catalogue {
  const { catalogue, issues } = readCatalogueFile({
    region: REGION,
    instanceTypes: TYPES.map(({ price, ...facts }) => ({
      ...facts,
      arch: 'amd64',
      maxPods: 29,
      offerings: ZONES.map((zone) => ({ zone, capacityType: 'on-demand', price })),
    })),
  });
  if (catalogue === undefined) throw new Error(JSON.stringify(issues));
  return catalogue;
}

export const RESOLVED: ResolvedNodeClass = {
  zones: ZONES,
  subnetIDs: ['subnet-1'],
  securityGroupIDs: ['sg-1'],
  imageIDs: ['ami-1'],
  problems: [],
};

/** Answers every node class alike; what it is asked is kept, and an answer can be replaced. */
export class SmallCloud {
  answer: ResolvedNodeClass | Error = RESOLVED;
  readonly asked: NodeClass[] = [];
  readonly tagged: { readonly ids: readonly string[]; readonly tags: ReadonlyMap<string, string> }[] = [];

  resolveNodeClass(source: NodeClass): Promise<ResolvedNodeClass> {
    this.asked.push(source);
    return this.answer instanceof Error ? Promise.reject(this.answer) : Promise.resolve(this.answer);
  }

  tagInstances(ids: readonly string[], tags: ReadonlyMap<string, string>): Promise<void> {
    this.tagged.push({ ids, tags });
    return Promise.resolve();
  }
}
