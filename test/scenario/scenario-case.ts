/** A scenario as data: a function of a world, in which it looks at pools and namespaces of its own only. */
import type { World } from './world.js';

export interface ScenarioCase {
  /** A sentence. */
  readonly name: string;
  /** When Berth's Clock has to begin, ISO 8601; absent where it does not matter. */
  readonly start?: string | undefined;
  /** Berth's own flags, by name. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /** @throws Error telling what is not as it must be. */
  run(world: World): Promise<void>;
}
