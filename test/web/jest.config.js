// How the tests of the page run: as the other tests do, but in a browser, one file at a time.
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/test/web', '<rootDir>/test/support'],
  testMatch: ['<rootDir>/test/web/suite/**/*.web.ts'],
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  testTimeout: 60_000,
};
