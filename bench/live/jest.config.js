// How the live bench runs: like the cluster tests, against a real control plane, one system after the other.
import base from '../../test/controlplane/jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/bench/live', '<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/bench/live/*.bench.ts'],
  // Of one system, with all its steps.
  testTimeout: 1_800_000,
};
