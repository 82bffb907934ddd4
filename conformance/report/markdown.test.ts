import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { hostileReport } from './hostile-report.testing.ts';
import { writeMarkdown } from './markdown.ts';
import { sampleFailure, sampleReport, sampleRule } from './sample-report.testing.ts';

const render = (text: string) => marked.parse(text, { async: false, gfm: true });

describe('writeMarkdown', () => {
  test('a report -> verdict, a details block a failure, tables', () => {
    const page = render(writeMarkdown(sampleReport()));
    expect(page).toContain('<h2>❌ swapcheck: nonconforming</h2>');
    expect(page.match(/<details><summary><b>/g)).toHaveLength(7);
    expect(page).toContain('<td>INVALID_PARAMETER');
    expect(page).toContain('<code class="language-sh">curl -sSi');
    expect(page.match(/<table>/g)).toHaveLength(3);
  });

  test('a conforming report -> no failures section', () => {
    const rules = [sampleRule('1', 'a/b', 'must', 'pass', 'T')];
    const text = writeMarkdown(sampleReport({ verdict: 'conforming', rules }));
    expect(text).toContain('✅ swapcheck: conforming');
    expect(text).not.toContain('### Failures');
  });

  test('hostile text -> no element, mention, link or table cell of its own', () => {
    const text = writeMarkdown(hostileReport());
    const page = render(text);
    expect(page).not.toMatch(/<script|<img|<a |href=|<strong>b|<h1/);
    expect(text.replace(/`[^`]*@octocat/g, '')).not.toContain('@octocat');
    const table = page.slice(page.lastIndexOf('<table>'));
    expect(table.match(/<td>/g)).toHaveLength(3 * 5);
  });

  test('a thousand large failures -> under one megabyte, and how many are left', () => {
    const failures = Array.from({ length: 2000 }, () =>
      sampleFailure({ expected: '|'.repeat(500), actual: 'é'.repeat(1000) }),
    );
    const rules = [sampleRule('1', 'a/b', 'must', 'fail', 'T', { failures })];
    const text = writeMarkdown(sampleReport({ rules }));
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
    const shown = text.match(/<details><summary><b>/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(50);
    expect(text).toContain(`${2000 - shown} more failures are in the JSON report.`);
  });
});
