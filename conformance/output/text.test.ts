import { describe, expect, test } from 'vitest';
import type { Document } from './document.ts';
import { trusted } from './markup.ts';
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
  test('sections -> the first section last, sections without blocks omitted, tables aligned', () => {
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

  test('CJK characters and emoji -> two columns each, in a table and in labels', () => {
    const wide: Document = [
      {
        blocks: [
          {
            kind: 'table',
            columns: ['Token', 'Count'],
            rows: [
              ['中文', '1'],
              ['🚀', '12'],
              ['e\u0301', '7'],
            ],
          },
          {
            kind: 'parts',
            parts: [
              ['中文', 'x'],
              ['Base', 'y'],
              ['🚀', 'z'],
            ],
          },
        ],
      },
    ];
    expect(renderText(wide)).toBe(`Token  Count
中文       1
🚀        12
e\u0301          7
中文: x
Base: y
  🚀: z
`);
  });

  test('a finding with many variants -> one example, two variants, and the number of others', () => {
    const finding = {
      kind: 'finding',
      heading: 'a/b: T',
      about: ['2.1: Words'],
      example: [['Actual', '0']],
      variants: Array.from({ length: 12 }, (_, at) => `variant ${at}`),
    } as const;
    expect(renderText([{ blocks: [finding] }])).toBe(`
  a/b: T
    2.1: Words
      Actual: 0
        Also: variant 0
        Also: variant 1
        Also: 10 more variants, in the JSON report
`);
  });

  test('a fold -> its title and blocks; a drawing -> what replaces it, or nothing', () => {
    const draw = () => trusted('<svg/>');
    const parts = [
      ['Plan', { draw }],
      ['Reply', { draw, text: 'HTTP 200' }],
    ] as const;
    expect(
      renderText([
        {
          blocks: [
            { kind: 'figure', draw, blocks: [{ kind: 'line', line: '3 passed' }] },
            { kind: 'fold', title: ['All', ' rules'], blocks: [{ kind: 'parts', parts }] },
          ],
        },
      ]),
    ).toBe('3 passed\nAll rules\nReply: HTTP 200\n');
  });

  test('color -> in tints and signs; none by default', () => {
    const colored = renderText(document, { color: true });
    expect(colored).toContain(`${ESCAPE}[31mFAILED: two lost`);
    expect(colored).toContain(`${ESCAPE}[32m✓${ESCAPE}[39m one`);
    expect(colored).toContain(`ab      1234567  ${ESCAPE}[31mmany`);
    expect(renderText(document)).not.toContain(ESCAPE);
  });
});
