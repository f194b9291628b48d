/** Instances that run before anything is measured, launched through EC2's own wire. */
import type { Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { CLUSTER_TAG, NAME_TAG, NODECLAIM_TAG, NODEPOOL_TAG } from '../../../src/ports/cloud.js';
import type { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import type { SimulatedInstance } from '../../../world/aws/ec2/instances/instance.js';
import { CLUSTER_NAME } from '../../../world/demo/embedded/embedded-region.js';
import { CLUSTER_UID } from './cluster-objects.js';

/** An instance as it is to be. */
export interface WantedInstance {
  readonly instanceType: string;
  readonly zone: string;
  /** Its NodePool. */
  readonly pool: string;
}

export interface SeededInstance {
  readonly claim: string;
  readonly instance: SimulatedInstance;
  readonly type: InstanceType;
  readonly pool: string;
}

/** What the instances of a full cluster are, in turn. */
const TYPES = ['m6i.2xlarge', 'c6i.2xlarge', 'r6i.xlarge', 'm6i.xlarge'];
const IMAGE_PARAMETER =
  '/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const SSM = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' };

/** Instances of four types in all zones, evenly. */
export function evenInstances(
  { instanceTypes }: Catalogue,
  count: number,
  pool: string,
): readonly WantedInstance[] {
  const places = TYPES.map((instanceType) => {
    const type = instanceTypes.find(({ name }) => name === instanceType);
    const offered = (type?.offerings ?? []).filter(({ capacityType }) => capacityType === 'on-demand');
    return offered.map(({ zone }) => ({ instanceType, zone, pool }));
  });
  const turns = inTurns(places);
  return Array.from({ length: count }, (_, index) => turns.slice(index % turns.length)[0] ?? []).flat();
}

/** In the order of what is wanted. @throws Error where the simulator refuses a launch. */
export async function seedInstances(
  aws: AwsSimulator,
  catalogue: Catalogue,
  wanted: readonly WantedInstance[],
): Promise<readonly SeededInstance[]> {
  const seeder = await Seeder.of(aws);
  const launched = await seeder.launch(wanted);
  const types = new Map(catalogue.instanceTypes.map((type) => [type.name, type]));
  const seeded: SeededInstance[] = [];
  for (const [index, { pool, instanceType }] of wanted.entries()) {
    const claim = `${pool}-seed-${String(index).padStart(5, '0')}`;
    const instance = launched[index];
    const type = types.get(instanceType);
    if (instance === undefined || type === undefined) throw new Error(`${claim} was not launched`);
    await seeder.name(instance.id, claim);
    seeded.push({ claim, instance, type, pool });
  }
  return seeded;
}

class Seeder {
  readonly #aws: AwsSimulator;
  readonly #common: Readonly<Record<string, string>>;
  /** Zone → id. */
  readonly #subnets: ReadonlyMap<string, string>;

  private constructor(
    aws: AwsSimulator,
    common: Readonly<Record<string, string>>,
    subnets: ReadonlyMap<string, string>,
  ) {
    this.#aws = aws;
    this.#common = common;
    this.#subnets = subnets;
  }

  static async of(aws: AwsSimulator): Promise<Seeder> {
    const body = JSON.stringify({ Name: IMAGE_PARAMETER });
    const parameter = JSON.parse(await call(aws, SSM, body)) as {
      readonly Parameter: { readonly Value: string };
    };
    const discovered = { 'Filter.1.Name': 'tag:karpenter.sh/discovery', 'Filter.1.Value.1': CLUSTER_NAME };
    const described = await ec2(aws, 'DescribeSubnets', discovered);
    const groups = await ec2(aws, 'DescribeSecurityGroups', discovered);
    const found = described.matchAll(
      /<subnetId>([^<]+)<\/subnetId>.*?<availabilityZone>([^<]+)<\/availabilityZone>/gs,
    );
    const common = {
      ImageId: parameter.Parameter.Value,
      'SecurityGroupId.1': /<groupId>([^<]+)</.exec(groups)?.[1] ?? '',
      'TagSpecification.1.ResourceType': 'instance',
    };
    return new Seeder(aws, common, new Map([...found].map(([, id = '', zone = '']) => [zone, id])));
  }

  /** One call for all that are alike. Answers an instance for each that is wanted. */
  async launch(wanted: readonly WantedInstance[]): Promise<readonly (SimulatedInstance | undefined)[]> {
    const alike = new Map<string, WantedInstance[]>();
    for (const each of wanted) alike.set(keyOf(each), [...(alike.get(keyOf(each)) ?? []), each]);
    const launched = new Map<string, SimulatedInstance[]>();
    const known = new Set<string>();
    for (const [key, { length }] of alike) {
      const [instanceType = '', zone = '', pool = ''] = key.split(' ');
      const tags = tagsOf('TagSpecification.1.Tag', { [CLUSTER_TAG]: CLUSTER_UID, [NODEPOOL_TAG]: pool });
      const count = String(length);
      const subnet = this.#subnets.get(zone) ?? '';
      const asked = { MinCount: count, MaxCount: count, InstanceType: instanceType, SubnetId: subnet };
      await ec2(this.#aws, 'RunInstances', { ...this.#common, ...tags, ...asked });
      const fresh = this.#aws.instances().filter(({ id }) => !known.has(id));
      for (const { id } of fresh) known.add(id);
      launched.set(key, [...fresh]);
    }
    return wanted.map((each) => launched.get(keyOf(each))?.shift());
  }

  /** Notes the claim that an instance is of. */
  async name(instanceID: string, claim: string): Promise<void> {
    const own = tagsOf('Tag', { [NODECLAIM_TAG]: claim, [NAME_TAG]: claim });
    await ec2(this.#aws, 'CreateTags', { 'ResourceId.1': instanceID, ...own });
  }
}

function keyOf({ instanceType, zone, pool }: WantedInstance): string {
  return `${instanceType} ${zone} ${pool}`;
}

/** As EC2's forms have them: `Tag.1.Key`, `Tag.1.Value`, … */
function tagsOf(name: string, tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(tags).flatMap(([key, value], at) => [
      [`${name}.${String(at + 1)}.Key`, key],
      [`${name}.${String(at + 1)}.Value`, value],
    ]),
  );
}

/** The first of each list, the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function ec2(
  aws: AwsSimulator,
  action: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const form = new URLSearchParams({ Action: action, Version: '2016-11-15', ...parameters });
  return call(aws, FORM, form.toString());
}

async function call(
  aws: AwsSimulator,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<string> {
  const answer = await aws.handle({ method: 'POST', path: '/', headers, body }, new AbortController().signal);
  const text = typeof answer.body === 'string' ? answer.body : '';
  if (answer.status === 200) return text;
  throw new Error(`the simulated AWS answered ${String(answer.status)}: ${text}`);
}
