/** What EC2 refuses of the network interfaces of a launch. */
import type { InstanceFacts } from '../../../../src/clouds/aws/catalogue/index.js';
import { ServiceError } from '../../model/service-error.js';
import type { InterfaceDescription } from '../instances/instance.js';
import type { Subnet } from '../network/subnet.js';
import type { LaunchSettings } from './launch-settings.js';

const PRIMARY: InterfaceDescription = {
  card: 0,
  device: 0,
  type: 'interface',
  ipv6: false,
  primaryIPv6: false,
};

/**
 * The interfaces, the primary one first.
 * @throws ServiceError, when there is no primary one, a subnet has no IPv6 addresses, or the type takes no such adapters.
 */
export function checkInterfaces(
  { interfaces }: Pick<LaunchSettings, 'interfaces'>,
  { name, efaCards }: Pick<InstanceFacts, 'name' | 'efaCards'>,
  subnet: Pick<Subnet, 'id' | 'ipv6Cidr'>,
): readonly InterfaceDescription[] {
  const sorted = interfaces.length === 0 ? [PRIMARY] : [...interfaces].sort(byPlace);
  const refusal =
    placeRefusal(sorted) ?? addressRefusal(sorted, subnet) ?? adapterRefusal(sorted, name, efaCards);
  if (refusal !== undefined) throw refusal;
  return sorted;
}

function byPlace(left: InterfaceDescription, right: InterfaceDescription): number {
  return left.card - right.card || left.device - right.device;
}

function placeRefusal([first]: readonly InterfaceDescription[]): ServiceError | undefined {
  if (first?.card === 0 && first.device === 0) return undefined;
  return new ServiceError(
    'InvalidParameterValue',
    'A primary network interface is needed: card 0, device 0.',
  );
}

function addressRefusal(
  interfaces: readonly InterfaceDescription[],
  { id, ipv6Cidr }: Pick<Subnet, 'id' | 'ipv6Cidr'>,
): ServiceError | undefined {
  if (interfaces.some(({ primaryIPv6, ipv6 }) => primaryIPv6 && !ipv6))
    return new ServiceError('InvalidParameterCombination', 'PrimaryIpv6 needs an IPv6 address.');
  if (interfaces.some(({ type, ipv6 }) => type === 'efa-only' && ipv6))
    return new ServiceError('InvalidParameterCombination', 'An efa-only interface has no IP addresses.');
  if (ipv6Cidr !== undefined || !interfaces.some(({ ipv6 }) => ipv6)) return undefined;
  return new ServiceError(
    'InvalidParameterValue',
    `The subnet '${id}' has no IPv6 CIDR block to assign addresses from.`,
  );
}

function adapterRefusal(
  interfaces: readonly InterfaceDescription[],
  instanceType: string,
  efaCards: readonly number[],
): ServiceError | undefined {
  const cards = interfaces.filter(({ type }) => type !== 'interface').map(({ card }) => card);
  if (new Set(cards).size < cards.length)
    return new ServiceError('AttachmentLimitExceeded', 'A network card takes one Elastic Fabric Adapter.');
  const wrong = cards.find((card) => !efaCards.includes(card));
  if (wrong === undefined) return undefined;
  return new ServiceError(
    'Unsupported',
    `The requested configuration is currently not supported: network card ${String(wrong)} of ${instanceType} takes no Elastic Fabric Adapter.`,
  );
}
