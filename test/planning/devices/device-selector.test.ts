/** CEL expressions of DeviceClasses and requests: which devices they select, and what of CEL is refused by name. */
import { parseQuantity } from '../../../src/domain/values/quantity.js';
import { selectorProblem, selectsDevice } from '../../../src/planning/devices/device-selector.js';
import { device, DRIVER } from '../../support/builders/devices.js';

const attributes = `device.attributes["${DRIVER}"]`;
const base = device({ attributes: { model: 'NVIDIA A10G', numa: 1, healthy: true, 'other.com/x': 'y' } });
const gpu = {
  ...base,
  attributes: new Map([
    ...base.attributes,
    [`${DRIVER}/driverVersion`, { type: 'version' as const, value: '550.54.1' }],
  ]),
  capacity: new Map([[`${DRIVER}/memory`, { value: parseQuantity('24Gi'), policy: undefined }]]),
};

test.each([
  [`device.driver == "${DRIVER}"`, true],
  [`device.driver == "other.com"`, false],
  [`${attributes}.model == "NVIDIA A10G"`, true],
  [`${attributes}.model.lowerAscii().contains("a10")`, true],
  [`${attributes}.model.lowerAscii().matches("^.*a10.*$")`, true],
  [`${attributes}.model in ["NVIDIA L4", "NVIDIA A10G"]`, true],
  [`${attributes}.numa < 1`, false],
  [`${attributes}.healthy`, true],
  [`!${attributes}.healthy || ${attributes}.numa == 1`, true],
  [`device.attributes["other.com"].x == "y"`, true],
  [`"model" in ${attributes}`, true],
  [`"family" in ${attributes} && ${attributes}.family == "x"`, false],
  [`"x" in device.attributes["unknown.com"]`, false],
  [`cel.bind(own, ${attributes}, own.healthy && own.numa == 1)`, true],
  [`device.capacity["${DRIVER}"].memory.compareTo(quantity("20Gi")) >= 0`, true],
  [`device.capacity["${DRIVER}"].memory.isLessThan(quantity("20Gi"))`, false],
  [`${attributes}.driverVersion.compareTo(semver("550.0.0")) > 0`, true],
  [`${attributes}.driverVersion.isGreaterThan(semver("550.54.1-rc.1"))`, true],
])('%s is %s', (expression, selected) => {
  expect(selectorProblem(expression)).toBeUndefined();
  expect(selectsDevice(expression, gpu, DRIVER)).toBe(selected);
});

test.each([
  [`has(${attributes}.model)`, 'must not call has'],
  ['[1].all(x, x > 0)', 'must not call all'],
  ['{"a": 1}.size() > 0', 'maxMapEntries'],
  [`${attributes}.model.matches("(a+)+")`, 'a group that repeats'],
  [`${attributes}.model.matches("a*b*c*d*")`, 'more than 3 repetitions'],
  [`${attributes}.model.matches(${attributes}.model)`, 'but with a text'],
  ['device.driver ==', 'unexpected'],
  ['1 + 1', 'must be a bool, not int'],
  ['unknown == 1', 'unknown'],
  ['x'.repeat(11_000), 'is longer than 10240 characters'],
])('%s is refused', (expression, problem) => {
  expect(selectorProblem(expression)?.toLowerCase()).toContain(problem.toLowerCase());
});

test('an attribute that the device lacks has no value, and a text is no answer', () => {
  expect(selectsDevice('device.driver', gpu, DRIVER)).toEqual({ problem: 'is no bool' });
  expect(selectsDevice(`${attributes}.family == "x"`, gpu, DRIVER)).toEqual({
    problem: 'cannot be evaluated: no such key: family',
  });
});
