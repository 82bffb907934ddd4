/**
 * A report as people read it, what matters most first. Text in it is never
 * markup: whatever a service said is shown as it is.
 */
export type Document = readonly Section[];

/** A section without blocks is left out; one that few want is folded away in Markdown, under its title. */
export type Section = {
  readonly title?: Line;
  readonly isFolded?: true;
  readonly blocks: readonly Block[];
  /** What a short text shows instead, title and all. */
  readonly brief?: readonly Block[];
};

export type Block = Verdict | Finding | Table | List | Parts | { kind: 'line'; line: Line };

export type Verdict = {
  readonly kind: 'verdict';
  /** What was judged. */
  readonly subject: string;
  readonly verdict: string;
  readonly tint: 'good' | 'bad' | 'warn';
  readonly reason: string;
};

/** One mistake: what it is, the rules that it breaks, and an example that proves it. */
export type Finding = {
  readonly kind: 'finding';
  readonly heading: Line;
  /** The clause that is broken, or the rules that the mistake breaks. */
  readonly about: readonly string[];
  readonly example: readonly Part[];
  /** What else was found, each shown in a line. */
  readonly variants?: readonly string[];
};

/** Columns of numbers are aligned to the right. */
export type Table = {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Line[])[];
};

export type List = {
  readonly kind: 'list';
  readonly title?: string | undefined;
  readonly items: readonly Item[];
};

/** An entry of a list, with what belongs to it. */
export type Item = { readonly line: Line; readonly parts?: readonly Part[] };

export type Parts = { readonly kind: 'parts'; readonly parts: readonly Part[] };

/** A value with its label; a line for a shell is shown whole. */
export type Part = readonly [label: string, value: Span | { readonly shell: string }];

/** Text, or pieces of text in a row. */
export type Line = Span | readonly Span[];

export type Span =
  | string
  | { readonly mark: Mark }
  | {
      readonly text: string;
      readonly tint?: Tint | undefined;
      readonly isBold?: true;
      readonly isCode?: true;
    };

/** What a text says of its subject; a terminal colours it so. */
export type Tint = 'good' | 'bad' | 'warn' | 'note' | 'dim';

/** A sign for how something came out. */
export type Mark = 'passed' | 'failed' | 'warning' | 'waived' | 'observed' | 'left-out';

export function spansOf(line: Line): readonly Span[] {
  return typeof line === 'string' || !('length' in line) ? [line] : line;
}

/** Returns a list, or no block for no items. */
export function listOf(items: readonly Item[], title?: string): List[] {
  return items.length === 0 ? [] : [{ kind: 'list', title, items }];
}

/** Returns a table, or no block for no rows. */
export function tableOf(columns: readonly string[], rows: Table['rows']): Table[] {
  return rows.length === 0 ? [] : [{ kind: 'table', columns, rows }];
}

/** Returns for every column whether each of its cells begins as a number does. */
export function numberColumns({ columns, rows }: Table): readonly boolean[] {
  const isNumber = (cell: Line): boolean =>
    /^[-+<[(]*\s?\d/.test(
      spansOf(cell)
        .map((span) => (typeof span === 'string' ? span : 'text' in span ? span.text : ''))
        .join(''),
    );
  return columns.map((_, at) => rows.every((row) => isNumber(row[at] ?? '')));
}
