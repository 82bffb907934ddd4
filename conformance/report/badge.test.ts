import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import type { Report } from '../model/report.ts';
import { write } from './badge.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { sampleReport } from './sample-report.testing.ts';

const VERDICTS = ['conforming', 'nonconforming', 'incomplete'] as const;
const badgeOf = (report: Report) => {
  const svg = write(report);
  expect(XMLValidator.validate(svg)).toBe(true);
  return new XMLParser({ ignoreAttributes: false }).parse(svg).svg;
};

test('a badge -> the verdict and the number of must rules that pass, also for screen readers', () => {
  const badges = VERDICTS.map((verdict) => badgeOf(sampleReport({ verdict })));
  expect(badges.map(({ title }) => title)).toEqual([
    'swapcheck: conforming, 3 of 7 must, 1 should failed, 1 not judged',
    'swapcheck: not conforming, 3 of 7 must, 1 should failed, 1 not judged',
    'swapcheck: incomplete, 3 of 7 must, 1 should failed, 1 not judged',
  ]);
  for (const badge of badges) expect(badge['@_aria-label']).toBe(badge.title);
  expect(new Set(badges.map(({ rect }) => rect['@_fill'])).size).toBe(3);
});

test('a hostile report -> contains no text from the service', () => {
  const { title } = badgeOf(hostileReport());
  expect(title).toMatch(
    /^swapcheck: (not )?conforming, \d+ of \d+ must(, \d+ should failed)?, \d+ not judged$/,
  );
});
