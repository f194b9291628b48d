// How the cluster tests run: as the other tests do, but against a real control plane, one file at a time.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/controlplane/suite/**/*.cluster.ts'],
  globalSetup: '<rootDir>/test/controlplane/build-first.js',
  // A control plane takes 0.65 GB and, while it starts, both cores.
  maxWorkers: 1,
  testTimeout: 60_000,
};
