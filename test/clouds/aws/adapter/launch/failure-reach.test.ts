/** How far EC2's reasons for not launching an offering reach. */
import { reachOf } from '../../../../../src/clouds/aws/adapter/launch/failure-reach.js';

test.each([
  ['InsufficientInstanceCapacity', 'offering'],
  ['AnythingThatIsNotListed', 'offering'],
  ['InsufficientFreeAddressesInSubnet', 'zone'],
  ['MaxSpotInstanceCountExceeded', 'capacity-type'],
  ['RequestLimitExceeded', 'none'],
  ['UnauthorizedOperation', 'none'],
  ['InvalidAMIID.NotFound', 'none'],
])('%s reaches %s', (code, reach) => {
  expect(reachOf(code)).toBe(reach);
});
