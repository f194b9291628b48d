// How `make test-chart` runs: as the other tests do; run.sh has built helm.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/chart/suite/*.chart.ts'],
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  testTimeout: 60_000,
};
