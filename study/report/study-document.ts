import {
  type Block,
  type Document,
  listOf,
  type Section,
  tableOf,
} from '../../conformance/output/document.ts';
import type { StudyReport } from '../model/study-report.ts';
import { describeSettings, describeWorst } from './describe-study.ts';
import { tablesOf } from './tables.ts';

/** Returns a study as a document. */
export function studyDocument(report: StudyReport): Document {
  const { verdict, reason, version, services, notes } = report;
  const tint = verdict === 'complete' ? 'good' : 'warn';
  const subject = `Study of ${services.map(({ name }) => name).join(', ')}`;
  return [
    { blocks: [{ kind: 'verdict', subject, verdict, tint, reason }] },
    {
      blocks: [
        { kind: 'line', line: { text: `swapcheck study ${version}`, isBold: true } },
        ...describeSettings(report).map((text): Block => ({ kind: 'line', line: text })),
        ...listOf(notes.map((text) => ({ line: { text, tint: 'warn' } }))),
      ],
    },
    ...tableSections(report),
    {
      title: 'Worst trades',
      blocks: listOf(
        describeWorst(report).map(({ head, details }) => ({ line: head, parts: details })),
      ),
    },
  ];
}

/** Returns a section for each table of a study. Received amounts come first. */
export function tableSections(report: StudyReport): readonly Section[] {
  return tablesOf(report).map(({ title, note, columns, rows }) => ({
    title,
    blocks: [
      ...tableOf(columns, rows),
      ...(note === undefined ? [] : [{ kind: 'line', line: { text: note, tint: 'dim' } } as const]),
    ],
  }));
}
