/** Which subnet of a zone is next. */
import { SubnetChoice } from '../../../../../src/clouds/aws/adapter/node-class/subnet-choice.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const SUBNETS = [
  { id: 'subnet-2', zone: 'a', freeAddresses: 10 },
  { id: 'subnet-1', zone: 'a', freeAddresses: 10 },
  { id: 'subnet-3', zone: 'b', freeAddresses: 0 },
];

function chosen(choice: SubnetChoice): readonly string[] {
  return [...choice.choose(SUBNETS).values()].map(({ id }) => id).sort();
}

test('of each zone the one with most room; of equal ones the first by id', () => {
  expect(chosen(new SubnetChoice(new VirtualClock()))).toEqual(['subnet-1', 'subnet-3']);
});

test('what was given away counts until EC2 tells of it', async () => {
  const clock = new VirtualClock();
  const choice = new SubnetChoice(clock);
  choice.took('subnet-1', 1);
  expect(chosen(choice)).toContain('subnet-2');
  await clock.advance(90_000);
  expect(chosen(choice)).toContain('subnet-1');
});

test('a zone has the addresses of the subnet that is next there', () => {
  const choice = new SubnetChoice(new VirtualClock());
  choice.took('subnet-1', 3);
  choice.took('subnet-2', 4);
  expect(choice.freeAddresses(SUBNETS)).toEqual(
    new Map([
      ['a', 7],
      ['b', 0],
    ]),
  );
});

test('one that is full is the last choice, but one', () => {
  const choice = new SubnetChoice(new VirtualClock());
  for (const subnet of SUBNETS.slice(0, 2)) choice.took(subnet.id, Infinity);
  choice.took('subnet-1', 1);
  expect(chosen(choice)).toEqual(['subnet-1', 'subnet-3']);
});
