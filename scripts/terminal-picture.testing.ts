import { stripVTControlCharacters } from 'node:util';
import { type Markup, markup } from '../conformance/output/markup.ts';

const CHARACTER_PX = 7.83;
const LINE_PX = 18;
const MOST_CHARACTERS = 118;
/** What a terminal makes of the codes that text reports use. */
const STYLES: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};
const STYLE = `.screen{fill:#12161d}text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e4e9f0;white-space:pre}.bold{font-weight:700}.dim{fill:#9aa6b6}.red{fill:#ff7a82}.green{fill:#58c98b}.yellow{fill:#e5b04d}.cyan{fill:#6fc3df}`;

/** Returns lines with a terminal's colours as an SVG picture of it; long lines are cut. */
export function drawTerminal(lines: readonly string[]): string {
  const cut = lines.map((line) => cutLine(line));
  const longest = Math.max(...cut.map((line) => stripVTControlCharacters(line).length));
  const width = Math.ceil(longest * CHARACTER_PX) + 32;
  const height = lines.length * LINE_PX + 28;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${lines[0]}</title><style>${STYLE_TEXT}</style><rect class="screen" width="${width}" height="${height}" rx="10"/>
${cut.map((line, at) => markup`<text x="16" y="${at * LINE_PX + 28}" xml:space="preserve">${spans(line)}</text>\n`)}</svg>\n`
    .text;
}

const STYLE_TEXT: Markup = { kind: 'markup', text: STYLE };

/** Each piece of a line in its colour; a code of the end of one ends it. */
function spans(line: string): Markup[] {
  const styles = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it begins a terminal's codes
  return line.split(/\u001b\[(\d+)m/).flatMap((piece, at) => {
    if (at % 2 === 0) {
      return piece === '' ? [] : [markup`<tspan class="${[...styles].join(' ')}">${piece}</tspan>`];
    }
    const style = STYLES[piece];
    if (style !== undefined) styles.add(style);
    else if (piece === '22') for (const weight of ['bold', 'dim']) styles.delete(weight);
    else for (const colour of ['red', 'green', 'yellow', 'cyan']) styles.delete(colour);
    return [];
  });
}

function cutLine(line: string): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= MOST_CHARACTERS ? line : `${plain.slice(0, MOST_CHARACTERS - 1)}…`;
}
