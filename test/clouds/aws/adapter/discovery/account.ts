/** A small account that answers EC2's and SSM's questions by its own reading of filters. */
import {
  ec2Answer,
  ec2List,
  FakeAws,
  jsonAnswer,
  xml,
  type AskedOfAws,
} from '../../../../support/fake-aws.js';

export type Tags = Readonly<Record<string, string>>;

export interface AccountSubnet {
  readonly id: string;
  readonly zone?: string;
  readonly tags?: Tags;
  readonly free?: number;
  readonly ipv6Native?: boolean;
  readonly vpc?: string;
  readonly state?: string;
}

export interface AccountGroup {
  readonly id: string;
  readonly name?: string;
  readonly tags?: Tags;
  readonly vpc?: string;
}

export interface AccountImage {
  readonly id: string;
  readonly name?: string;
  readonly tags?: Tags;
  /** `self`, `amazon`, or anything else. */
  readonly owner?: string;
  readonly architecture?: string;
  readonly created?: string;
  readonly deprecated?: string;
  readonly state?: string;
}

export interface Account {
  readonly subnets?: readonly AccountSubnet[];
  readonly groups?: readonly AccountGroup[];
  readonly images?: readonly AccountImage[];
  readonly parameters?: Readonly<Record<string, string>>;
  /** Things on one page. */
  readonly pageSize?: number;
}

/** A fake of the account. */
export function accountOf(account: Account): FakeAws {
  const { subnets = [], groups = [], images = [], parameters = {}, pageSize = 1_000 } = account;
  return new FakeAws()
    .answer('DescribeSubnets', (asked) =>
      page(asked, {
        list: 'subnetSet',
        pageSize,
        items: matching(asked, subnets, 'subnet-id').map(subnetXml),
      }),
    )
    .answer('DescribeSecurityGroups', (asked) =>
      page(asked, {
        list: 'securityGroupInfo',
        pageSize,
        items: matching(asked, groups, 'group-id').map(groupXml),
      }),
    )
    .answer('DescribeImages', (asked) => {
      const owners = values(asked, 'Owner');
      const visible = images.filter(
        ({ owner = 'amazon', deprecated }) =>
          (owners.length === 0 || owners.includes(owner)) &&
          // EC2 shows deprecated images to their owners unasked.
          (deprecated === undefined || owner === 'self' || asked.fields['IncludeDeprecated'] === 'true'),
      );
      return page(asked, {
        list: 'imagesSet',
        pageSize,
        items: matching(asked, visible, 'image-id').map(imageXml),
      });
    })
    .answer('GetParameters', ({ fields }) => {
      const names = fields['Names'] as readonly string[];
      return jsonAnswer({
        Parameters: names
          .filter((name) => Object.hasOwn(parameters, name))
          .map((name) => ({ Name: name, Value: parameters[name] })),
        InvalidParameters: names.filter((name) => !Object.hasOwn(parameters, name)),
      });
    });
}

interface PageOf {
  readonly list: string;
  readonly items: readonly string[];
  readonly pageSize: number;
}

function page({ operation, fields }: AskedOfAws, { list, items, pageSize }: PageOf) {
  const start = Number(fields['NextToken'] ?? 0);
  const next = start + pageSize < items.length ? `<nextToken>${String(start + pageSize)}</nextToken>` : '';
  return ec2Answer(operation, ec2List(list, items.slice(start, start + pageSize)) + next);
}

interface Thing {
  readonly id: string;
  readonly name?: string;
  readonly tags?: Tags;
}

function matching<T extends Thing>(asked: AskedOfAws, things: readonly T[], idFilter: string): readonly T[] {
  const filters = Array.from({ length: 30 }, (_, index) => `Filter.${String(index + 1)}`).flatMap(
    (prefix) => {
      const name = asked.fields[`${prefix}.Name`];
      return typeof name === 'string' ? [{ name, values: values(asked, `${prefix}.Value`) }] : [];
    },
  );
  return things.filter((thing) =>
    filters.every(({ name, values: wanted }) =>
      looksOf(thing, name, idFilter).some((text) => wanted.some((value) => wildcard(value).test(text))),
    ),
  );
}

function looksOf({ id, name = '', tags = {} }: Thing, filter: string, idFilter: string): readonly string[] {
  if (filter === idFilter) return [id];
  if (filter === 'tag-key') return Object.keys(tags);
  if (filter.startsWith('tag:')) return [tags[filter.slice(4)] ?? []].flat();
  if (filter === 'name' || filter === 'group-name') return [name];
  throw new Error(`the account does not know the filter ${filter}`);
}

function wildcard(value: string): RegExp {
  const escaped = value.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
}

function values({ fields }: AskedOfAws, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    key.startsWith(`${prefix}.`) && /^\d+$/.test(key.slice(prefix.length + 1)) ? [String(value)] : [],
  );
}

function subnetXml({
  id,
  zone = 'eu-west-3a',
  free = 100,
  ipv6Native = false,
  vpc = 'vpc-1',
  state = 'available',
}: AccountSubnet): string {
  return xml({
    subnetId: id,
    availabilityZone: zone,
    availabilityZoneId: `euw3-az${zone.slice(-1)}`,
    availableIpAddressCount: free,
    ipv6Native,
    vpcId: vpc,
    state,
  });
}

function groupXml({ id, name = id, vpc = 'vpc-1' }: AccountGroup): string {
  return xml({ groupId: id, groupName: name, vpcId: vpc });
}

function imageXml(image: AccountImage): string {
  const { id, name = id, architecture = 'x86_64', created, deprecated, state = 'available' } = image;
  return xml({
    imageId: id,
    name,
    architecture,
    creationDate: created,
    deprecationTime: deprecated,
    imageState: state,
  });
}
