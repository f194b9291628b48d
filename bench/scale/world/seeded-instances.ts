/** Instances that run before anything is measured, launched through EC2's own wire. */
import type { Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { CLUSTER_TAG, NAME_TAG, NODECLAIM_TAG, NODEPOOL_TAG } from '../../../src/ports/cloud.js';
import type { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import type { SimulatedInstance } from '../../../world/aws/ec2/instances/instance.js';
import { CLUSTER_NAME } from '../../../world/demo/embedded/embedded-region.js';
import { CLUSTER_UID, POOL } from './cluster-objects.js';

export interface SeededInstance {
  readonly claim: string;
  readonly instance: SimulatedInstance;
  readonly type: InstanceType;
}

/** What the instances are, in turn. */
const TYPES = ['m6i.2xlarge', 'c6i.2xlarge', 'r6i.xlarge', 'm6i.xlarge'];
const IMAGE_PARAMETER =
  '/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const SSM = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' };

/** @throws Error where the simulator refuses a launch. */
export async function seedInstances(
  aws: AwsSimulator,
  catalogue: Catalogue,
  count: number,
): Promise<readonly SeededInstance[]> {
  const seeder = await Seeder.of(aws, catalogue);
  await seeder.launch(count);
  const types = new Map(catalogue.instanceTypes.map((type) => [type.name, type]));
  return aws.instances().flatMap((instance) => {
    const claim = instance.tags.get(NODECLAIM_TAG);
    const type = types.get(instance.instanceType);
    return claim === undefined || type === undefined ? [] : [{ claim, instance, type }];
  });
}

class Seeder {
  readonly #aws: AwsSimulator;
  readonly #common: Readonly<Record<string, string>>;
  /** Type and subnet, in turn. */
  readonly #places: readonly (readonly [type: string, subnetID: string])[];

  private constructor(
    aws: AwsSimulator,
    common: Readonly<Record<string, string>>,
    places: readonly (readonly [string, string])[],
  ) {
    this.#aws = aws;
    this.#common = common;
    this.#places = places;
  }

  static async of(aws: AwsSimulator, catalogue: Catalogue): Promise<Seeder> {
    const body = JSON.stringify({ Name: IMAGE_PARAMETER });
    const parameter = JSON.parse(await call(aws, SSM, body)) as {
      readonly Parameter: { readonly Value: string };
    };
    const discovered = { 'Filter.1.Name': 'tag:karpenter.sh/discovery', 'Filter.1.Value.1': CLUSTER_NAME };
    const subnets = await ec2(aws, 'DescribeSubnets', discovered);
    const groups = await ec2(aws, 'DescribeSecurityGroups', discovered);
    const zones = new Map(
      [
        ...subnets.matchAll(
          /<subnetId>([^<]+)<\/subnetId>.*?<availabilityZone>([^<]+)<\/availabilityZone>/gs,
        ),
      ].map(([, id = '', zone = '']) => [zone, id]),
    );
    const places = TYPES.map((name) => {
      const type = catalogue.instanceTypes.find((known) => known.name === name);
      const offered = (type?.offerings ?? []).filter(({ capacityType }) => capacityType === 'on-demand');
      return offered.flatMap(({ zone }) => {
        const subnet = zones.get(zone);
        return subnet === undefined ? [] : [[name, subnet] as const];
      });
    });
    const common = {
      ImageId: parameter.Parameter.Value,
      'SecurityGroupId.1': /<groupId>([^<]+)</.exec(groups)?.[1] ?? '',
      'TagSpecification.1.ResourceType': 'instance',
    };
    return new Seeder(aws, common, inTurns(places));
  }

  /** One call for each place, and one for each instance, to name its claim. */
  async launch(count: number): Promise<void> {
    const usual = tagsOf('TagSpecification.1.Tag', { [CLUSTER_TAG]: CLUSTER_UID, [NODEPOOL_TAG]: POOL });
    for (const [at, [type, subnet]] of this.#places.entries()) {
      const here = String(Math.ceil((count - at) / this.#places.length));
      if (Number(here) <= 0) break;
      const asked = { MinCount: here, MaxCount: here, InstanceType: type, SubnetId: subnet };
      await ec2(this.#aws, 'RunInstances', { ...this.#common, ...usual, ...asked });
    }
    for (const [index, { id }] of this.#aws.instances().entries()) {
      const claim = `${POOL}-seed-${String(index).padStart(5, '0')}`;
      const own = tagsOf('Tag', { [NODECLAIM_TAG]: claim, [NAME_TAG]: claim });
      await ec2(this.#aws, 'CreateTags', { 'ResourceId.1': id, ...own });
    }
  }
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
