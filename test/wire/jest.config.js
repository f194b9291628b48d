// How the wire is fuzzed: as the other tests run, but one file at a time, with nothing beside it in the process whose CPU
// and memory are measured. BODIES says how many of each kind, SEED which.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/wire/**/*.fuzz.ts'],
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  testTimeout: 3_600_000,
};
