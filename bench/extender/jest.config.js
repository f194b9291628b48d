// How the throughput of kube-scheduler is measured: like the cluster tests, against a real control plane.
import base from '../../test/controlplane/jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/bench/extender', '<rootDir>/src', '<rootDir>/world', '<rootDir>/test'],
  testMatch: ['<rootDir>/bench/extender/*.bench.ts'],
  // Of one size of cluster, with all its rounds.
  testTimeout: 1_800_000,
};
