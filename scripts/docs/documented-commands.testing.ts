import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseEntry, parse } from 'shell-quote';
import { globSync } from 'tinyglobby';

/** A fenced block of a page. */
export type Block = {
  /** File and line at which the block begins, such as `docs/load.md:12`. */
  readonly place: string;
  /** `sh`, `sh long` (for `npm run test:long`), `sh no-run` (not run), or another language. */
  readonly info: string;
  readonly text: string;
};

/** A line of an `sh` block, as a shell parses it. */
export type ShellLine = {
  readonly place: string;
  readonly text: string;
  readonly words: readonly string[];
  /** Files to which standard input and standard output are redirected. */
  readonly input: string | undefined;
  readonly output: string | undefined;
};

/** Returns the text of all pages, keyed by file. Excludes the generated pages of rules. */
export function readPages(root: string): ReadonlyMap<string, string> {
  const files = globSync(
    ['*.md', 'docs/**/*.md', 'fixtures/*.md', '!docs/rules/**', '!docs/node_modules/**'],
    {
      cwd: root,
    },
  );
  return new Map(files.sort().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

export function blocksOf(file: string, page: string): readonly Block[] {
  return [...page.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map((match) => {
    const [, indent = '', info = '', text = ''] = match;
    const line = page.slice(0, match.index).split('\n').length;
    return {
      place: `${file}:${line}`,
      info,
      text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

/** Returns the lines of an `sh` block. Joins continued lines, and omits comments. */
export function linesOf(
  { place, text }: Block,
  variables: Record<string, string>,
): readonly ShellLine[] {
  return text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => readLine(place, line, variables) ?? []);
}

function readLine(
  place: string,
  text: string,
  variables: Record<string, string>,
): ShellLine | undefined {
  const entries = parse(text, variables).filter((entry) => !isComment(entry));
  if (entries.length === 0) return undefined;
  const target = (op: string): string | undefined => {
    const at = entries.findIndex(
      (entry) => typeof entry === 'object' && 'op' in entry && entry.op === op,
    );
    return at < 0 ? undefined : String(entries[at + 1]);
  };
  const end = entries.findIndex((entry) => typeof entry === 'object');
  const words = (end < 0 ? entries : entries.slice(0, end)).map(String);
  return { place, text, words, input: target('<'), output: target('>') };
}

function isComment(entry: ParseEntry): boolean {
  return typeof entry === 'object' && 'comment' in entry;
}

/** Returns the arguments that a line passes to swapcheck; undefined if it runs another program. */
export function argumentsOf({ words }: ShellLine): readonly string[] | undefined {
  const command = words.slice(words.findIndex((word) => !/^[A-Z_0-9]+=/.test(word)));
  const [first] = command;
  return first === 'swapcheck' ? command.slice(1) : undefined;
}
