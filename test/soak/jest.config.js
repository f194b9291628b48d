// How the soak tests run: as the other tests do, but with Berth as a process, one file at a time. ROUNDS says how often.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/soak/**/*.soak.ts'],
  // Each round starts a world of its own; its processes end with it.
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  // Worlds of tests that run at once; each waits more than it works.
  maxConcurrency: 3,
  testTimeout: 1_800_000,
};
