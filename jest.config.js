// How `make test` runs: native ES modules, TypeScript stripped by swc, nothing transformed in node_modules.
import { availableParallelism } from 'node:os';

// The AWS SDK says once in every module context that it will want a newer Node.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // src and world too, else a file that no test imports would be missing from the coverage report.
  roots: ['<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testSequencer: '<rootDir>/test/support/slowest-first.js',
  // Module contexts of ES modules are not freed: a worker is replaced when it has grown past the limit.
  // At least two, since one worker would run in the parent, where the limit does nothing.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '700MB',
  // Only what hangs takes so long: a test must not fail because the machine is busy, and then it may take ten times as long.
  testTimeout: 180_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', 'world/**/*.ts', '!src/**/*.generated.ts'],
};
