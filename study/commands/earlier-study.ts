import { jsonReader } from '../../conformance/output/json-reader.ts';
import { readText } from '../../conformance/output/read-text.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';
import { type StudyReport, StudyReportSchema } from '../model/study-report.ts';

/** Old and new names of fields that 0.1.0 renamed. */
const RENAMED = new Map([
  ['figures', 'metrics'],
  ['told', 'distinguished'],
  ['refusals', 'rejections'],
  ['asked', 'requested'],
]);

const readStudy = jsonReader(StudyReportSchema, 'a study', undefined, (name, value) =>
  name === 'kind' && value === 'refused' ? [name, 'rejected'] : [RENAMED.get(name) ?? name, value],
);

/**
 * Returns the study in a JSON report.
 *
 * @throws {UsageError} if the report cannot be read, is not a study, or is a study of other
 * services
 */
export function readEarlierStudy(path: string, urls: readonly string[]): StudyReport {
  const name = `--resume ${path}`;
  const study = readStudy(readText(path, name), name);
  const of = study.services.map(({ url }) => url);
  if (of.join(' ') !== urls.join(' ')) {
    throw new UsageError(
      `--resume ${path} is a study of ${of.join(', ')}, not of ${urls.join(', ')}`,
    );
  }
  return study;
}

/**
 * Returns the settings of an earlier study.
 *
 * @throws {UsageError} naming a setting that differs
 */
export function settingsAsBefore(
  { settings }: StudyReport,
  given: Partial<StudySettings>,
): StudySettings {
  for (const [name, value] of Object.entries(given)) {
    const before = settings[name as keyof StudySettings];
    if (JSON.stringify(before) === JSON.stringify(value)) continue;
    throw new UsageError(
      `--resume continues with the settings of the study: its ${name} was ${before}, not ${value}`,
    );
  }
  return settings;
}

/** Returns the completely measured trades. Failed trades of a study that ended early are requested again. */
export function finishedTrades({
  verdict,
  trades,
  settings,
}: StudyReport): readonly MeasuredTrade[] {
  if (verdict === 'complete') return trades;
  const isFinished = ({ answers }: MeasuredTrade) =>
    answers.every(
      (answer) =>
        answer.kind !== 'failed' &&
        (answer.kind !== 'quoted' || answer.outcomes.length === settings.blocks.length),
    );
  return trades.filter(isFinished);
}
