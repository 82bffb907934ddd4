import { dirname, join } from 'node:path';
import type { SettlementEvidence } from '../model/evidence.ts';
import type { ReportRequest } from '../output/report-formats.ts';
import { writeWhole } from '../output/write-reports.ts';

/** Failed settlements that are to stand in files beside the reports. */
export type EvidenceFiles = {
  /** Keeps one, and returns its file as a report names it; undefined where no report is a file. */
  readonly keep: ((evidence: SettlementEvidence) => string) | undefined;
  /** Writes them beside each report. */
  readonly write: () => Promise<void>;
};

const FOLDER = 'evidence';

/** Returns what keeps failed settlements for these reports. */
export function createEvidenceFiles(
  reports: readonly Pick<ReportRequest<never>, 'path'>[],
): EvidenceFiles {
  const folders = new Set(reports.flatMap(({ path }) => (path === '-' ? [] : [dirname(path)])));
  const kept = new Map<string, SettlementEvidence>();
  const keep = (evidence: SettlementEvidence): string => {
    const name = evidence.rule.replace(/[^A-Za-z0-9-]+/g, '-');
    let number = 1;
    while (kept.has(`${FOLDER}/${name}-${number}.json`)) number += 1;
    const file = `${FOLDER}/${name}-${number}.json`;
    kept.set(file, evidence);
    return file;
  };
  return {
    keep: folders.size === 0 ? undefined : keep,
    write: async () => {
      for (const folder of folders) {
        for (const [file, evidence] of kept) {
          await writeWhole(join(folder, file), `${JSON.stringify(evidence, undefined, 2)}\n`);
        }
      }
    },
  };
}
