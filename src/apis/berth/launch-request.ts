/** The request of a launch in the status of a NodeClaim: what many offerings share is written once. */
import { CAPACITY_TYPES, type CapacityType } from '../../domain/nodes/instance-type.js';
import { RESERVED_MARKETS, type LaunchOverride, type LaunchRequest } from '../../domain/nodes/node-claim.js';
import { refuse } from '../kubernetes/object/field.js';
import {
  choice,
  field,
  integer,
  list,
  mapped,
  object,
  optionalChoiceOf,
  optionalObject,
  optionalTextOf,
  optionalTexts,
  price,
  text,
  textOrEmpty,
  withDefault,
} from './codec.js';

/** An image for each architecture and GPU, a subnet for each zone, a few sizes of root volumes. */
const MOST_SETTINGS = 200;
const NAME = { minLength: 1, maxLength: 253 };
const SHORT_NAME = { minLength: 1, maxLength: 63 };

/** What an offering is launched with: equal for many. */
type OverrideSettings = Pick<LaunchOverride, 'imageID' | 'subnetID' | 'launchTemplate'>;

/** An override as it is written: with settings of its own, or with the place in the list of those that it shares. */
interface OverrideRow extends LaunchOverride {
  readonly settings: number | undefined;
}

interface RequestRow extends Omit<LaunchRequest, 'overrides'> {
  readonly overrides: readonly OverrideRow[];
  readonly settings: readonly OverrideSettings[];
}

const settingsFields = {
  imageID: field('Machine image for the architecture of the instance type.', textOrEmpty({ maxLength: 253 })),
  subnetID: field('Subnet that the instance is launched in.', optionalTextOf({ maxLength: 253 })),
  launchTemplate: field(
    'Launch template of the instance.',
    optionalObject(
      object<{ readonly id: string; readonly version: string }>({
        id: field('ID of the launch template.', text(NAME)),
        version: field('Version of the launch template.', text(SHORT_NAME)),
      }),
    ),
  ),
};

const row = object<OverrideRow>({
  instanceType: field('Instance type.', text(SHORT_NAME)),
  zone: field('Availability zone.', text(SHORT_NAME)),
  price: field('USD per hour.', withDefault(price({ minimum: 0 }), 0), { isRequired: true }),
  settings: field(
    'Index in the settings of the request. Absent where image, subnet and launch template are given here.',
    integer({ minimum: 0, maximum: MOST_SETTINGS - 1 }),
  ),
  ...settingsFields,
});

const rows = object<RequestRow>({
  capacityType: field('Capacity type.', withDefault<CapacityType>(choice(CAPACITY_TYPES), 'on-demand')),
  size: field('Number of instances requested.', withDefault(integer({ minimum: 1 }), 1), {
    isRequired: true,
  }),
  overrides: field('Offerings that may be launched, in order of preference.', list(row, { maxItems: 1000 }), {
    isRequired: true,
  }),
  settings: field(
    'Image, subnet and launch template of several overrides, which refer to them by index.',
    list(object<OverrideSettings>(settingsFields), { maxItems: MOST_SETTINGS }),
  ),
  tags: field(
    "Tags of the node class, in addition to the controller's own tags.",
    optionalTexts({ maxProperties: 50, maxLength: 256 }),
  ),
  market: field(
    'Market type of reserved capacity. Absent for capacity that the cloud counts as on-demand.',
    optionalChoiceOf(RESERVED_MARKETS),
  ),
  context: field(
    "Field of the cloud's launch request, passed on from the node class.",
    optionalTextOf({ maxLength: 1024 }),
  ),
  certificateAuthority: field(
    "Fingerprint of the cluster's CA bundle that the node is given. Absent where it is given none.",
    optionalTextOf({ maxLength: 128 }),
  ),
});

/** Reading gives back what was written, override by override. */
export const launchRequest = mapped<RequestRow, LaunchRequest>(rows, {
  read: ({ settings, overrides, ...request }, at) => ({
    ...request,
    overrides: overrides.map(({ settings: index, ...own }) => {
      if (index === undefined) return own;
      const shared = settings[index];
      if (shared === undefined)
        refuse(at, `has an override with settings ${String(index)}, which are not there`);
      return { ...own, ...shared };
    }),
  }),
  write: (request) => ({ ...request, ...shareSettings(request.overrides) }),
});

function shareSettings(overrides: readonly LaunchOverride[]): Pick<RequestRow, 'overrides' | 'settings'> {
  const counts = new Map<string, number>();
  for (const override of overrides) counts.set(keyOf(override), (counts.get(keyOf(override)) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1).slice(0, MOST_SETTINGS);
  const indexes = new Map(shared.map(([key], index) => [key, index]));
  const settings = new Map<number, OverrideSettings>();
  const written = overrides.map((override): OverrideRow => {
    const index = indexes.get(keyOf(override));
    if (index === undefined) return { ...override, settings: undefined };
    const { imageID, subnetID, launchTemplate, ...rest } = override;
    settings.set(index, { imageID, subnetID, launchTemplate });
    return { ...rest, ...NO_SETTINGS, settings: index };
  });
  // In the order of their first override, which is that of their indexes.
  return { overrides: written, settings: [...settings.values()] };
}

const NO_SETTINGS: OverrideSettings = { imageID: '', subnetID: undefined, launchTemplate: undefined };

function keyOf({ imageID, subnetID, launchTemplate }: OverrideSettings): string {
  return JSON.stringify([imageID, subnetID, launchTemplate?.id, launchTemplate?.version]);
}
