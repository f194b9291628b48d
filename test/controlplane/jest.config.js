// How the cluster tests run: as the other tests do, but against a real control plane, one file at a time.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/controlplane/suite/**/*.cluster.ts'],
  globalSetup: '<rootDir>/test/controlplane/build-first.js',
  // One at a time, since a control plane takes 0.9 GB and, while it starts, both cores. Without the memory limit that means in
  // jest's own process: a worker would outlive a jest that is killed alone, and its control plane with it.
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  // Of tests that each have a control plane of their own.
  maxConcurrency: 5,
  // What a test waits for has limits of its own; this one is for what hangs.
  testTimeout: 300_000,
  // What a test that failed half-way has left open must not keep the run from ending.
  forceExit: true,
};
