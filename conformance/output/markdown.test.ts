import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import type { Part } from './document.ts';
import { renderMarkdown } from './markdown.ts';

describe('renderMarkdown', () => {
  test('every block -> its own Markdown, a folded section in its details', () => {
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
        title: 'More',
        isFolded: true,
        blocks: [
          { kind: 'list', items: [{ line: { mark: 'failed' }, parts: [['Was', 'x']] }] },
          { kind: 'parts', parts: [['Repeat', { shell: 'a ``` b' }]] },
        ],
      },
    ]);
    expect(text).toBe(`## ✅ It: held

ok

### Figures

<b>b</b> a&#124;b

| Name | n |
| --- | ---: |
| a&#124;b | 1 |

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

  test('a thousand large cases -> under one megabyte, and how many are left', () => {
    const parts: Part[] = [
      ['Expected', '|'.repeat(500)],
      ['Actual', 'é'.repeat(1000)],
    ];
    const findings = (cases: number) =>
      ({ kind: 'findings', clause: '1', rule: 'a/b', cases: Array(cases).fill(parts) }) as const;
    const text = renderMarkdown([{ title: 'Failures', blocks: [findings(2000), findings(3)] }]);
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
    const shown = text.match(/Expected:/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(50);
    expect(text).toContain(`${2000 - shown} more failures are in the JSON report.`);
    expect(text).toContain('3 more failures are in the JSON report.');
  });
});
