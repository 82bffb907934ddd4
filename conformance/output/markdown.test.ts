import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import type { Part } from './document.ts';
import { escapeText, renderMarkdown } from './markdown.ts';
import { trusted } from './markup.ts';
import { printable } from './printable.ts';

const REFERENCES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" },
  ...{ '&#64;': '@', '&#36;': '$', '&#58;': ':', '&#46;': '.', '&#38;': '&', '&#60;': '<' },
};

describe('renderMarkdown', () => {
  test('every kind of block -> the corresponding Markdown; a fold -> inside `<details>`; a drawing -> what replaces it', () => {
    const draw = () => trusted('<svg/>');
    const text = renderMarkdown([
      { blocks: [{ kind: 'verdict', subject: 'It', verdict: 'held', tint: 'good', reason: 'ok' }] },
      {
        title: 'Figures',
        blocks: [
          { kind: 'line', line: [{ text: 'b', isBold: true }, ' a|b'] },
          { kind: 'table', columns: ['Name', 'n'], rows: [['a|b', '1']] },
        ],
      },
      {
        blocks: [
          {
            kind: 'fold',
            title: 'More',
            blocks: [
              { kind: 'list', items: [{ line: { mark: 'failed' }, parts: [['Was', 'x']] }] },
              {
                kind: 'figure',
                draw,
                blocks: [
                  {
                    kind: 'parts',
                    parts: [
                      ['Plan', { draw }],
                      ['Repeat', { shell: 'a ``` b' }],
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ]);
    expect(text).toBe(`## ✅ It: held

ok

### Figures

<b>b</b> a|b

| Name | n |
| --- | ---: |
| a\\|b | 1 |

<details><summary>More</summary>

- ❌
  - **Was:** x

\`\`\`\`sh
a \`\`\` b
\`\`\`\`

</details>
`);
    const page = marked.parse(text, { async: false });
    expect(page).toMatch(/<li>❌\s*<ul>\s*<li><strong>Was:<\/strong> x/);
  });

  test.each([
    ['`sell.amount` of [must] is 5 (within 2)', '`sell.amount` of [must] is 5 (within 2)'],
    ['swap/exactly-one_amount: 100% = 1.0 {a} #4!', 'swap/exactly-one_amount: 100% = 1.0 {a} #4!'],
    ['-5 of 0xab', '-5 of 0xab'],
    [
      '*a* _b_ ~c~ [d](e) <f> &amp; @g',
      '\\*a\\* \\_b\\_ \\~c\\~ [d\\](e) &#60;f> &#38;amp; &#64;g',
    ],
    ['# no heading', '\\# no heading'],
    ['1. no list', '1\\. no list'],
    ['a ` alone', 'a \\` alone'],
  ])('%s -> no superfluous escape', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  test("any text, in GitHub's dialect -> shown literally", () => {
    const pieces = fc.constantFrom(
      ...[...'\\`*_{}[]()#+-.!|<>&@~$^=:1a /\'"?'],
      ...[
        'http://e.example',
        'www.e.example',
        'a@e.example',
        '&lt;',
        '[^1]: ',
        '[x] ',
        '<b>',
        '```',
      ],
    );
    const texts = fc.array(pieces, { maxLength: 14 }).map((all) => all.join('').trim());
    forAll([texts.filter((text) => text !== '')], { seed: 5, numRuns: 2_000 }, (text) => {
      const page = marked.parse(escapeText(text), { async: false, gfm: true });
      const shown = page.replace(/<\/?(p|code)>|\n$/g, '');
      expect(shown).not.toMatch(/<(?!\/)/);
      const words = shown.replace(/&(#\d+|\w+);/g, (reference) => REFERENCES[reference] ?? '?');
      const bare = (all: string) => all.replace(/[`\s]/g, '');
      expect(bare(words)).toBe(bare(printable(text)));
    });
  });

  test('a thousand large findings -> under 60 kB, every heading, as many examples as fit', () => {
    const parts: Part[] = [
      ['Expected', '|'.repeat(500)],
      ['Actual', 'é'.repeat(1000)],
    ];
    const finding = { kind: 'finding', heading: 'a/b', about: ['1'], example: parts } as const;
    const text = renderMarkdown([{ title: 'Failures', blocks: Array(100).fill(finding) }]);
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    const shown = text.match(/Expected:/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(10);
    expect(text.match(/<summary>a\/b<\/summary>/g)).toHaveLength(100);
    expect(text.match(/The example is in the JSON report\./g)).toHaveLength(100 - shown);
  });
});
