/** The overrides of a fleet as candidates: each with the template's settings under its own. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import { offeringFaultOf, type Fault } from '../../faults/fault-plan.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import type { Account } from '../account/account.js';
import type { FleetCandidate } from './allocate.js';
import type { LaunchMarket } from '../instances/capacity-reservations.js';
import type { FleetPart } from './fleet-request.js';
import { overrideAuthorizations } from './authorization.js';
import { launchCandidate } from './launch-candidate.js';
import { readSettings, resourceTagsOf, withResourceTags, type LaunchSettings } from './launch-settings.js';
import type { Refusal } from './room.js';

export interface FleetOverride {
  /** launchTemplateAndOverrides, as it goes into the answer. */
  readonly echo: XmlStructure;
  readonly settings: LaunchSettings;
  readonly priority: number | undefined;
  /** AWS' own tags, which say what the instance was launched from. */
  readonly templateTags: Labels;
}

export interface OverrideCandidate extends FleetCandidate {
  readonly override: FleetOverride;
}

export interface Candidates {
  readonly possible: readonly OverrideCandidate[];
  readonly impossible: readonly { readonly override: FleetOverride; readonly refusal: Refusal }[];
}

/** All overrides of all configurations, in their order. @throws ServiceError InvalidLaunchTemplate…, MissingParameter. */
export function readOverrides(account: Account, query: QueryNode): readonly FleetOverride[] {
  const configs = query.list('LaunchTemplateConfigs');
  if (configs.length === 0)
    throw new ServiceError(
      'MissingParameter',
      'The request must contain the parameter LaunchTemplateConfigs',
    );
  return configs.flatMap((config) => {
    const { template, version } = account.templates.resolve(config.node('LaunchTemplateSpecification'));
    const own = readSettings(version.data);
    const settings = { ...own, resourceTags: withResourceTags(own, resourceTagsOf(query)) };
    const specification = {
      launchTemplateId: template.id,
      launchTemplateName: template.name,
      version: String(version.number),
    };
    const templateTags = new Map([
      ['aws:ec2launchtemplate:id', template.id],
      ['aws:ec2launchtemplate:version', specification.version],
    ]);
    const overrides = config.list('Overrides');
    return (overrides.length > 0 ? overrides : [config.node('None')]).map((override): FleetOverride => ({
      echo: { launchTemplateSpecification: specification, overrides: echoOf(override, settings) },
      settings: overridden(settings, override),
      priority: override.number('Priority'),
      templateTags,
    }));
  });
}

function overridden(settings: LaunchSettings, override: QueryNode): LaunchSettings {
  if (override.text('WeightedCapacity') !== undefined || !override.node('InstanceRequirements').isEmpty)
    throw new ServiceError('UnsupportedOperation', 'Weights and InstanceRequirements are not simulated');
  return {
    ...settings,
    instanceType: override.text('InstanceType') ?? settings.instanceType,
    subnetID: override.text('SubnetId') ?? settings.subnetID,
    zone: override.text('AvailabilityZone') ?? settings.zone,
    imageID: override.text('ImageId') ?? settings.imageID,
    maxPrice: override.number('MaxPrice') ?? settings.maxPrice,
  };
}

function echoOf(override: QueryNode, settings: LaunchSettings): XmlStructure {
  return {
    instanceType: override.text('InstanceType') ?? settings.instanceType,
    maxPrice: override.text('MaxPrice'),
    subnetId: override.text('SubnetId'),
    availabilityZone: override.text('AvailabilityZone'),
    priority: override.text('Priority'),
    imageId: override.text('ImageId'),
  };
}

/** A template without market options may be bought on spot; the markets of reserved capacity it has to name. */
function marketed(settings: LaunchSettings, market: LaunchMarket): LaunchSettings {
  if (settings.market === market || (settings.market === 'on-demand' && market === 'spot'))
    return { ...settings, market };
  throw new ServiceError(
    'InvalidFleetConfiguration',
    `The launch template is for the market ${settings.market}, and the fleet for ${market}`,
  );
}

/** Which of them could be launched if there were room. Faults and missing permissions make some impossible. */
export function candidatesFor(
  account: Account,
  overrides: readonly FleetOverride[],
  { capacityType, market }: Pick<FleetPart, 'capacityType' | 'market'>,
  faults: readonly Fault[],
): Candidates {
  const possible: OverrideCandidate[] = [];
  const impossible: Candidates['impossible'][number][] = [];
  for (const override of overrides) {
    try {
      const isSpot = capacityType === 'spot';
      account.access.checkEc2(() => overrideAuthorizations(account, override, isSpot));
      const candidate = launchCandidate(account, marketed(override.settings, market), capacityType);
      const fault = offeringFaultOf(faults, candidate.pool);
      if (fault !== undefined) throw new ServiceError(fault.code, fault.message ?? `Refused: ${fault.code}`);
      possible.push({ ...candidate, priority: override.priority, override });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      impossible.push({ override, refusal: { code: error.code, message: error.message } });
    }
  }
  return { possible, impossible };
}
