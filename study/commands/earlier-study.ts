import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { UsageError } from '../../conformance/output/usage-error.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';
import { type StudyReport, StudyReportSchema } from '../model/study-report.ts';

const isStudy = new Ajv2020().compile<StudyReport>(StudyReportSchema);

/**
 * Returns the study that a JSON report holds.
 *
 * @throws {UsageError} where it cannot be read, holds another report, or is of other services
 */
export function readEarlierStudy(path: string, urls: readonly string[]): StudyReport {
  const study = parse(path);
  if (!isStudy(study)) {
    const [error] = isStudy.errors ?? [];
    const where = error?.instancePath || 'it';
    throw new UsageError(`--resume ${path} is not a study: ${where} ${error?.message}`);
  }
  const of = study.services.map(({ url }) => url);
  if (of.join(' ') !== urls.join(' ')) {
    throw new UsageError(
      `--resume ${path} is a study of ${of.join(', ')}, not of ${urls.join(', ')}`,
    );
  }
  return study;
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'no such file';
    throw new UsageError(`--resume ${path} cannot be read (${code})`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--resume ${path} is not JSON`, { cause });
  }
}

/**
 * Returns the settings of an earlier study.
 *
 * @throws {UsageError} naming a setting that was asked for and is another one there
 */
export function settingsAsBefore(
  { settings }: StudyReport,
  given: Partial<StudySettings>,
): StudySettings {
  for (const [name, value] of Object.entries(given)) {
    const before = settings[name as keyof StudySettings];
    if (JSON.stringify(before) === JSON.stringify(value)) continue;
    throw new UsageError(
      `--resume goes on as the study began: its ${name} was ${before}, not ${value}`,
    );
  }
  return settings;
}

/** Returns the trades of which nothing is missing. */
export function finishedTrades({
  verdict,
  trades,
  settings,
}: StudyReport): readonly MeasuredTrade[] {
  if (verdict === 'complete') return trades;
  const isFinished = ({ answers }: MeasuredTrade) =>
    answers.every(
      (answer) => answer.kind !== 'quoted' || answer.outcomes.length === settings.blocks.length,
    );
  return trades.filter(isFinished);
}
