/** DescribeImages. */
import type { QueryNode } from '../../protocol/query.js';
import { xmlTime, type XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import type { SimulatedImage } from './image.js';
import { AMAZON_ACCOUNT, imageNotFound, type Images } from './images.js';
import { pageOf } from '../../protocol/paging.js';
import { tagSet } from '../query/tags.js';

const FIELDS: FilterFields<SimulatedImage> = {
  'image-id': ({ id }) => id,
  name: ({ name }) => name,
  architecture: ({ architecture }) => architecture,
  state: () => 'available',
  'owner-id': ({ ownerID }) => ownerID,
  'owner-alias': ({ ownerAlias }) => ownerAlias,
  'image-type': () => 'machine',
  'is-public': ({ ownerAlias }) => String(ownerAlias !== undefined),
  'virtualization-type': () => 'hvm',
  'root-device-type': () => 'ebs',
  'creation-date': ({ createdAt }) => xmlTime(createdAt),
  platform: ({ isWindows }) => (isWindows ? 'windows' : undefined),
};
/** All when MaxResults is not given. */
const LIMITS = { min: 1, max: 1000, usual: Infinity };
const TWO_YEARS_MILLIS = 2 * 365 * 86_400_000;

export function describeImages(query: QueryNode, images: Images, account: string): XmlStructure {
  const ids = query.texts('ImageId');
  const named = ids.length === 0 ? images.all() : ids.map((id) => existing(images, id));
  const owners = query.texts('Owner').map((owner) => ownerID(owner, account));
  const owned = named.filter(({ ownerID }) => owners.length === 0 || owners.includes(ownerID));
  const found = applyFilters(query, owned, { fields: FIELDS, tags: ({ tags }) => tags });
  const { items, nextToken } = pageOf(query, found, LIMITS);
  return { imagesSet: items.map(imageXml), nextToken };
}

function existing(images: Images, id: string): SimulatedImage {
  const image = images.find(id);
  if (image) return image;
  if (/^ami-[0-9a-f]{8}(?:[0-9a-f]{9})?$/.test(id)) throw imageNotFound(id);
  throw new ServiceError('InvalidAMIID.Malformed', `Invalid id: "${id}" (expecting "ami-...")`);
}

function ownerID(owner: string, account: string): string {
  if (owner === 'self') return account;
  return owner === 'amazon' ? AMAZON_ACCOUNT : owner;
}

function imageXml(image: SimulatedImage): XmlStructure {
  const device = image.isWindows ? '/dev/sda1' : '/dev/xvda';
  return {
    imageId: image.id,
    imageLocation: `${image.ownerAlias ?? image.ownerID}/${image.name}`,
    imageState: 'available',
    imageOwnerId: image.ownerID,
    imageOwnerAlias: image.ownerAlias,
    creationDate: xmlTime(image.createdAt),
    deprecationTime: image.ownerAlias && xmlTime(image.createdAt + TWO_YEARS_MILLIS),
    isPublic: image.ownerAlias !== undefined,
    architecture: image.architecture,
    imageType: 'machine',
    platform: image.isWindows ? 'windows' : undefined,
    platformDetails: image.isWindows ? 'Windows' : 'Linux/UNIX',
    usageOperation: image.isWindows ? 'RunInstances:0002' : 'RunInstances',
    enaSupport: true,
    hypervisor: 'xen',
    name: image.name,
    rootDeviceName: device,
    rootDeviceType: 'ebs',
    blockDeviceMapping: [
      {
        deviceName: device,
        ebs: {
          deleteOnTermination: true,
          snapshotId: image.id.replace('ami-', 'snap-'),
          volumeSize: image.isWindows ? 50 : 20,
          volumeType: 'gp3',
          encrypted: false,
        },
      },
    ],
    virtualizationType: 'hvm',
    bootMode: 'uefi-preferred',
    tagSet: tagSet(image.tags),
  };
}
