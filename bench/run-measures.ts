/** What is measured of Berth alone, by name. */
import { measureBlowups } from './measures/blowups.js';
import { measureChurn } from './measures/churn.js';
import { measureCommands } from './measures/commands.js';
import { measureConsolidation } from './measures/consolidation.js';
import { measureDisruptor } from './measures/disruptor.js';
import { measureExtender, measureMemory } from './measures/controller.js';
import type { Measure } from './measures/measure.js';
import { measureScaling, measureSecondBatch } from './measures/planning.js';
import { measureQuality } from './measures/quality.js';
import { measureQuestion } from './measures/question.js';
import type { Bench } from './run-workload.js';

/** Name → how it is measured. */
export const MEASURES: Readonly<Record<string, (bench: Bench) => Promise<Measure>>> = {
  scaling: measureScaling,
  'second-batch': measureSecondBatch,
  consolidation: measureConsolidation,
  disruptor: measureDisruptor,
  churn: measureChurn,
  memory: measureMemory,
  extender: measureExtender,
  question: measureQuestion,
  commands: measureCommands,
  blowups: measureBlowups,
  quality: measureQuality,
};
