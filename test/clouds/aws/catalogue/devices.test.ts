/** The devices that are expected of instance types with NVIDIA GPUs. */
import { devicesOf } from '../../../../src/clouds/aws/catalogue/devices.js';
import { parseQuantity } from '../../../../src/domain/values/quantity.js';

const a10g = { name: 'a10g', manufacturer: 'nvidia', count: 4, memoryMiB: 22888 } as const;

test('are one for each GPU, with what is known of the product', () => {
  const pool = devicesOf({ gpu: a10g }).devices?.pools[0];
  expect(pool?.driver).toBe('gpu.nvidia.com');
  expect(pool?.devices.map(({ name }) => name)).toEqual(['gpu-0', 'gpu-1', 'gpu-2', 'gpu-3']);
  const [first] = pool?.devices ?? [];
  expect(first?.attributes.get('gpu.nvidia.com/productName')).toEqual({
    type: 'string',
    value: 'NVIDIA A10G',
  });
  expect(first?.capacity.get('gpu.nvidia.com/memory')?.value).toBe(parseQuantity('22888Mi'));
});

test('of a product that is not known say that they are GPUs, and no more', () => {
  const [first] = devicesOf({ gpu: { ...a10g, name: 'new', memoryMiB: 0 } }).devices?.pools[0]?.devices ?? [];
  expect([...(first?.attributes.keys() ?? [])]).toEqual(['gpu.nvidia.com/type']);
  expect(first?.capacity.size).toBe(0);
});

test('are none of other types, and the same object for types with equal GPUs', () => {
  expect(devicesOf({ gpu: undefined })).toEqual({});
  expect(devicesOf({ gpu: { ...a10g, manufacturer: 'amd' } })).toEqual({});
  expect(devicesOf({ gpu: { ...a10g, count: 0 } })).toEqual({});
  expect(devicesOf({ gpu: a10g }).devices).toBe(devicesOf({ gpu: { ...a10g } }).devices);
});
