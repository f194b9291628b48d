/** What instances with Windows, and dedicated ones, cost where only the price of a shared Linux instance of the type is known. */
import type { Offering } from '../../../../domain/nodes/instance-type.js';
import { roundPrice } from '../../../../catalogue/price.js';
import type { InstanceFacts } from '../instance-facts.js';
import { estimatedFromUSD } from './region.js';

/** USD/h for each vCPU, in every region and family but the next (EC2 on-demand price list: Windows less Linux). */
const PER_VCPU = 0.046;
/** USD/h by size, of types that burst. */
const BURSTABLE: ReadonlyMap<string, number> = new Map([
  ['nano', 0.0046],
  ['micro', 0.0092],
  ['small', 0.0184],
  ['medium', 0.0184],
  ['large', 0.0276],
  ['xlarge', 0.0736],
  ['2xlarge', 0.1472],
]);

/** The offering of the type with the licence, which spot instances pay in full. */
export function withWindowsLicence(
  { name, vcpu }: Pick<InstanceFacts, 'name' | 'vcpu'>,
  offering: Offering,
  region: string,
): Offering {
  const [family = '', size = ''] = name.split('.');
  const burstable = /^t\d/.test(family) ? BURSTABLE.get(size) : undefined;
  const licence = estimatedFromUSD(burstable ?? PER_VCPU * vcpu, region);
  return { ...offering, price: roundPrice(offering.price + licence), estimated: true };
}

/** A dedicated instance costs about so many times as much; what EC2 charges for each region that has any comes once, and is left out. */
const DEDICATED = 1.06;

/** The offering as a dedicated instance has it. */
export function asDedicated(offering: Offering): Offering {
  return { ...offering, price: roundPrice(offering.price * DEDICATED), estimated: true };
}
