import { lexer, type Token, type Tokens } from 'marked';
import wrapAnsi from 'wrap-ansi';
import { createPaint, type Paint } from './terminal.ts';

/** Style of Markdown in a terminal. */
export type MarkdownTextStyle = {
  readonly color: boolean;
  /** Maximum width of a line, in columns. */
  readonly width: number;
  /** Returns the path of the picture behind a link. */
  readonly locate: (link: string) => string;
};

/**
 * Returns one of our Markdown pages as text for a terminal. Lines are wrapped, except shell lines,
 * which users copy. The path of a picture replaces the picture.
 */
export function renderPage(markdown: string, style: MarkdownTextStyle): string {
  const paint = createPaint(style.color);
  const blocks = lexer(markdown)
    .map((token) => renderBlock(token, paint, style))
    .filter((text) => text !== '');
  return `${blocks.join('\n\n')}\n`;
}

function renderBlock(token: Token, paint: Paint, style: MarkdownTextStyle): string {
  const inline = (tokens: readonly Token[] = []) => renderInline(tokens, paint, style);
  switch (token.type) {
    case 'heading':
      return wrap(paint.bold(inline(token.tokens)), style.width);
    case 'paragraph':
      return wrap(inline(token.tokens), style.width);
    case 'blockquote':
      return wrapAfterPrefix('│ ', inline(token.tokens), style.width);
    case 'list':
      return (token as Tokens.List).items
        .map(({ tokens }) => wrapAfterPrefix('- ', inline(tokens), style.width))
        .join('\n');
    case 'table':
      return (token as Tokens.Table).rows.length === 0
        ? wrapAfterPrefix('│ ', renderCells((token as Tokens.Table).header, inline), style.width)
        : renderTable(token as Tokens.Table, inline, style.width);
    case 'code':
      return token.lang === 'sh'
        ? paint.cyan(token.text)
        : wrapAfterPrefix('  ', token.text, style.width);
    default:
      return '';
  }
}

type Inline = (tokens: readonly Token[]) => string;

function renderCells(cells: readonly Tokens.TableCell[], inline: Inline): string {
  return cells.map(({ tokens }) => inline(tokens)).join(' · ');
}

function renderTable({ header, rows }: Tokens.Table, inline: Inline, width: number): string {
  return [header, ...rows]
    .map((cells) => wrapAfterPrefix('  ', renderCells(cells, inline), width))
    .join('\n');
}

function renderInline(tokens: readonly Token[], paint: Paint, style: MarkdownTextStyle): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case 'codespan':
          return style.color ? paint.cyan(token.text) : token.raw;
        case 'strong':
          return paint.bold(token.text);
        case 'image':
          return `${token.text}: ${style.locate(token.href)}`;
        default:
          return 'tokens' in token && token.tokens
            ? renderInline(token.tokens, paint, style)
            : 'text' in token
              ? token.text
              : '';
      }
    })
    .join('');
}

/** A dash is printed only on the first line, any other prefix on every line. */
function wrapAfterPrefix(prefix: string, text: string, width: number): string {
  const further = prefix.startsWith('-') ? ' '.repeat(prefix.length) : prefix;
  return wrap(text, width - prefix.length)
    .split('\n')
    .map((line, at) => (at === 0 ? prefix : further) + line)
    .join('\n');
}

function wrap(text: string, width: number): string {
  return wrapAnsi(text, width, { hard: true, trim: true });
}
