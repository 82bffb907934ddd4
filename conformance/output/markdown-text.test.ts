import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderPage } from './markdown-text.ts';

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

describe('renderPage', () => {
  test('a page -> wrapped at the width, except shell lines', () => {
    expect(renderPage(PAGE, style)).toBe(`\`plan/x\`

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
    const painted = renderPage(PAGE, { ...style, color: true, width: 200 });
    const plain = renderPage(PAGE, { ...style, width: 200 });
    expect(stripVTControlCharacters(painted)).toBe(plain.replaceAll('`', ''));
  });
});
