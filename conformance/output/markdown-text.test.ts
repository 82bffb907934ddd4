import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { markdownText } from './markdown-text.ts';

const PAGE = `# \`plan/x\`

A sentence with \`code\`, **weight**, [a link](elsewhere.md) and <API_KEY> & more.

> Words of the specification.

| name | string | yes |
| --- | --- | --- |

- first, which is longer than the line is wide
- second

\`\`\`sh
curl -sSi 'http://127.0.0.1:8080/a?much=longer&than=the&width=of&the=terminal'
\`\`\`

![The plan](x.svg)
`;

const style = { color: false, width: 30, locate: (link: string) => `/docs/${link}` };

describe('markdownText', () => {
  test('a page -> wrapped at the width, except shell lines', () => {
    expect(markdownText(PAGE, style)).toBe(`\`plan/x\`

A sentence with \`code\`,
weight, a link and <API_KEY> &
more.

│ Words of the specification.

│ name · string · yes

- first, which is longer than
  the line is wide
- second

curl -sSi 'http://127.0.0.1:8080/a?much=longer&than=the&width=of&the=terminal'

The plan: /docs/x.svg
`);
  });

  test('in color -> the same words, some of them colored', () => {
    const painted = markdownText(PAGE, { ...style, color: true, width: 200 });
    const plain = markdownText(PAGE, { ...style, width: 200 });
    expect(stripVTControlCharacters(painted)).toBe(plain.replaceAll('`', ''));
  });
});
