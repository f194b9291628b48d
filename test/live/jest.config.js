// How the live facts run: like the cluster tests, against a real control plane, with the real Karpenter and with Berth.
import base from '../controlplane/jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/test/live/*.live.ts'],
  // Of one system, with all its facts.
  testTimeout: 1_800_000,
};
