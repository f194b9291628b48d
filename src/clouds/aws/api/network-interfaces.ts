/** Network interfaces that every node is launched with. */
import * as z from 'zod';
import { refuse, type RuleContext } from '../../../apis/decode/refuse.js';

const MOST_INTERFACES = 150;

const networkInterface = z.strictObject({
  networkCardIndex: z.int().min(0).describe('Network card of the instance, counted from 0.'),
  deviceIndex: z.int().min(0).describe('Device on that card, counted from 0.'),
  interfaceType: z
    .enum(['interface', 'efa-only'])
    .describe('interface: an ordinary one; efa-only: an Elastic Fabric Adapter without an address.'),
});

type NetworkInterface = z.output<typeof networkInterface>;

/** The list, with Karpenter's rules over it. */
export const networkInterfaces = z
  .array(networkInterface)
  .max(MOST_INTERFACES)
  .superRefine(checkInterfaces)
  .describe(
    'Network interfaces of the nodes; one must be the ordinary primary one (card 0, device 0). Default: the primary one alone. At most 150.',
  );

function checkInterfaces(list: readonly NetworkInterface[], context: RuleContext): void {
  const isPrimary = (item: NetworkInterface): boolean =>
    item.networkCardIndex === 0 && item.deviceIndex === 0 && item.interfaceType === 'interface';
  if (list.length > 0 && !list.some(isPrimary))
    refuse(
      context,
      'must have a primary interface: networkCardIndex 0, deviceIndex 0, interfaceType interface',
      { code: 'missing-field' },
    );
  const places = new Set<string>();
  const adapters = new Set<number>();
  for (const [index, { networkCardIndex: card, deviceIndex: device, interfaceType }] of list.entries()) {
    const place = `${String(card)}/${String(device)}`;
    if (places.has(place))
      refuse(context, `repeats networkCardIndex ${String(card)}, deviceIndex ${String(device)}`, {
        path: [index],
        code: 'duplicate',
      });
    places.add(place);
    if (interfaceType !== 'efa-only') continue;
    if (adapters.has(card))
      refuse(context, `is a second efa-only interface of network card ${String(card)}`, {
        path: [index],
        code: 'duplicate',
      });
    adapters.add(card);
  }
}
