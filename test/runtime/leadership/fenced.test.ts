import { checkFence, fenced } from '../../../src/runtime/leadership/fenced.js';

class Counter {
  #count = 0;

  add(number: number): Promise<number> {
    this.#count += number;
    return Promise.resolve(this.#count);
  }
}

describe('checkFence', () => {
  test('throws once the lead is lost, naming what is not sent', () => {
    expect(() => {
      checkFence(() => true, 'CreateFleet');
    }).not.toThrow();
    expect(() => {
      checkFence(() => false, 'CreateFleet');
    }).toThrow(/CreateFleet: this replica no longer holds the Lease/);
  });
});

describe('fenced', () => {
  test('passes calls on while it is open', async () => {
    const counter = fenced(new Counter(), () => true);
    await counter.add(2);
    await expect(counter.add(3)).resolves.toBe(5);
  });

  test('makes no call once it is closed, and opens again', async () => {
    let isOpen = false;
    const counter = fenced(new Counter(), () => isOpen);
    await expect(counter.add(2)).rejects.toMatchObject({ code: 'Cancelled' });
    isOpen = true;
    await expect(counter.add(3)).resolves.toBe(3);
  });
});
