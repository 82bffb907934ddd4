import { describe, expect, test } from 'vitest';
import type { Document } from './document.ts';
import { renderText } from './text.ts';

const ESCAPE = String.fromCharCode(27);

const document: Document = [
  {
    blocks: [
      { kind: 'verdict', subject: 'It', verdict: 'failed', tint: 'bad', reason: 'two lost' },
    ],
  },
  { title: 'Nothing', blocks: [] },
  {
    title: { text: 'Figures', tint: 'note' },
    blocks: [
      {
        kind: 'table',
        columns: ['Name', 'Count', 'Why'],
        rows: [
          ['a\u0007', '7', ''],
          ['ab', '1234567', { text: 'many', tint: 'bad' }],
        ],
      },
      {
        kind: 'parts',
        parts: [
          ['Base', 'x'],
          ['Change', { shell: 'y'.repeat(400) }],
        ],
      },
      {
        kind: 'list',
        title: 'Signs',
        items: [{ line: [{ mark: 'passed' }, ' one'], parts: [['Was', 'z'.repeat(400)]] }],
      },
    ],
  },
];

describe('renderText', () => {
  test('sections -> the first one last, those without blocks left out, tables aligned', () => {
    expect(renderText(document)).toBe(
      `Figures
Name      Count  Why
a\\u{7}        7
ab      1234567  many
  Base: x
Change: ${'y'.repeat(400)}
Signs
  ✓ one
      Was: ${'z'.repeat(300)}… (400 characters)

FAILED: two lost
`,
    );
  });

  test('many cases of one finding -> five, and how many more', () => {
    const cases = Array.from({ length: 12 }, (_, at) => [['Actual', String(at)]] as const);
    const text = renderText([
      { blocks: [{ kind: 'findings', clause: '2.1', rule: 'a/b', words: 'Words', cases }] },
    ]);
    expect(text).toMatch(/^\n {2}2\.1 {2}Words\n {4}a\/b\n {6}Actual: 0\n\n {6}Actual: 1\n/);
    expect(text.match(/Actual:/g)).toHaveLength(5);
    expect(text).toContain('7 more failures are in the JSON report.');
  });

  test('colour -> in tints and signs; none when not asked for', () => {
    const coloured = renderText(document, { colour: true });
    expect(coloured).toContain(`${ESCAPE}[31mFAILED: two lost`);
    expect(coloured).toContain(`${ESCAPE}[32m✓${ESCAPE}[39m one`);
    expect(coloured).toContain(`ab      1234567  ${ESCAPE}[31mmany`);
    expect(renderText(document)).not.toContain(ESCAPE);
  });
});
