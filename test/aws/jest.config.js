// How `make test-aws` runs: as the other tests do, one file at a time, each with a moto or a simulator of its own.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/aws/suite/*.aws.ts'],
  reporters: ['default', '<rootDir>/test/aws/table-reporter.js'],
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  testTimeout: 60_000,
};
