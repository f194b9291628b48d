/** The catalogue that needs no network: embedded facts with estimated prices for one region. */
import type { Offering } from '../../../../domain/nodes/instance-type.js';
import { Catalogue } from '../catalogue.js';
import { embeddedTypes, type EmbeddedType } from './embedded-types.js';
import { roundPrice } from '../../../../catalogue/price.js';
import { priceFactor, QUOTED_REGION, usualZones } from './region.js';
import { asDedicated, withWindowsLicence } from './estimated-offerings.js';

/**
 * All embedded types on demand, and on spot where EC2 sells them so, in each zone. On-demand prices outside us-east-1 are multiples
 * of those inside, spot prices a share of the on-demand price: both are marked `estimated`. That a region has every type is an
 * assumption too.
 * @throws RangeError naming the known regions when the region is none of them.
 */
export function catalogueFor(region: string, zones: readonly string[] = usualZones(region)): Catalogue {
  const factor = priceFactor(region);
  const entries = [...embeddedTypes().values()].map((type) => ({
    facts: type.facts,
    allocatable: undefined,
    offerings: offeringsOf(type, factor, { region, zones }),
  }));
  return new Catalogue({
    region,
    entries,
    otherOfferings: ({ facts, offerings }, { isWindows, tenancy }) => {
      const own = tenancy === 'dedicated' ? offerings.map(asDedicated) : offerings;
      return isWindows ? own.map((offering) => withWindowsLicence(facts, offering, region)) : own;
    },
  });
}

function offeringsOf(
  { onDemandPrice, spotRatio }: EmbeddedType,
  factor: number,
  { region, zones }: { readonly region: string; readonly zones: readonly string[] },
): readonly Offering[] {
  const price = roundPrice(onDemandPrice * factor);
  const spotPrice = roundPrice(price * spotRatio);
  return zones.flatMap((zone): Offering[] => {
    const onDemand = {
      zone,
      capacityType: 'on-demand',
      price,
      estimated: region !== QUOTED_REGION,
      available: true,
    } as const;
    if (spotRatio === 0) return [onDemand];
    return [onDemand, { zone, capacityType: 'spot', price: spotPrice, estimated: true, available: true }];
  });
}
