import { dirname, join } from 'node:path';
import { joinStates } from '../execution/node/saved-state.ts';
import type { ChainState } from '../model/chain-state.ts';
import type { SettlementEvidence } from '../model/evidence.ts';
import type { SaveEvidence } from '../model/executor.ts';
import type { ReportRequest } from '../output/report-formats.ts';
import { writeWhole } from '../output/write-reports.ts';

const FOLDER = 'evidence';
/** Maximum length of a state file. A settlement with a larger state is saved without it. */
const MAX_STATE_CHARACTERS = 8 * 1_048_576;

/**
 * Returns a collector of failed settlements, which writes each of them to a file next to the given
 * reports.
 */
export function createEvidenceFiles(
  reports: readonly Pick<ReportRequest<never>, 'path'>[],
  maxStateCharacters = MAX_STATE_CHARACTERS,
) {
  const folders = new Set(reports.flatMap(({ path }) => (path === '-' ? [] : [dirname(path)])));
  const settlements = new Map<string, SettlementEvidence>();
  const states = new Map<string, ChainState>();

  function saveState({ scenario, block }: SettlementEvidence, state: ChainState) {
    const name = `chain-${scenario.chainId}-block-${block.number}.json`;
    const before = states.get(name);
    const joined = before === undefined ? state : joinStates(before, state);
    if (JSON.stringify(joined).length > maxStateCharacters) return undefined;
    states.set(name, joined);
    return name;
  }

  const save: SaveEvidence = (evidence, state) => {
    const name = evidence.rule.replace(/[^A-Za-z0-9-]+/g, '-');
    let number = 1;
    while (settlements.has(`${name}-${number}.json`)) number += 1;
    const file = `${name}-${number}.json`;
    const stateFile = state && saveState(evidence, state);
    settlements.set(file, { ...evidence, ...(stateFile !== undefined && { state: stateFile }) });
    return `${FOLDER}/${file}`;
  };
  return {
    /**
     * Saves a failed settlement and returns the path of its file. Undefined if no report is a file.
     */
    save: folders.size === 0 ? undefined : save,
    /**
     * Writes the settlements next to each report. Writes the state that they read to one file per
     * chain and block.
     */
    write: async (): Promise<void> => {
      for (const folder of folders) {
        for (const [file, content] of [...states, ...settlements]) {
          const indent = states.has(file) ? 1 : 2;
          const text = JSON.stringify(content, undefined, indent);
          await writeWhole(join(folder, FOLDER, file), `${text}\n`);
        }
      }
    },
  };
}
