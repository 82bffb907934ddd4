import type { SavedScenario } from '../../model/evidence.ts';
import type { Scenario } from '../../model/scenario.ts';

const AMOUNTS: ReadonlySet<string> = new Set(['balance', 'value', 'gas', 'baseFee', 'gasLimit']);

/** Returns a scenario as JSON, with amounts as text. */
export function savedScenario(scenario: Scenario): SavedScenario {
  return JSON.parse(
    JSON.stringify(scenario, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  );
}

/** Returns the scenario that a file contains. */
export function readScenario(saved: SavedScenario): Scenario {
  return JSON.parse(JSON.stringify(saved), (name, value) =>
    AMOUNTS.has(name) ? BigInt(value) : value,
  );
}
