/**
 * A report for people, the most important part first. Its text is never markup: text from a service
 * is shown literally.
 */
export type Document = readonly Section[];

/**
 * A section, omitted if it has no blocks. In Markdown, a folded section is collapsed under its
 * title.
 */
export type Section = {
  readonly title?: Line;
  readonly isFolded?: true;
  /** Whether text begins with this section; `only`: it appears nowhere else. */
  readonly opensText?: 'also' | 'only';
  readonly blocks: readonly Block[];
  /** Replaces the title and blocks in brief text. */
  readonly brief?: readonly Block[];
  /** Replaces the blocks in Markdown, where a summary is enough. */
  readonly summary?: readonly Block[];
};

export type Block = Verdict | Finding | Table | List | Parts | { kind: 'line'; line: Line };

export type Verdict = {
  readonly kind: 'verdict';
  /** The judged service or files. */
  readonly subject: string;
  readonly verdict: string;
  readonly tint: 'good' | 'bad' | 'warn';
  readonly reason: string;
};

/** One fault: its heading, the rules that it breaks, and an example that proves it. */
export type Finding = {
  readonly kind: 'finding';
  readonly heading: Line;
  /** The broken clause, or the rules that the fault breaks. */
  readonly about: readonly string[];
  readonly example: readonly Part[];
  /** Later faults that this one may explain. */
  readonly consequences?: List | undefined;
  /** Other forms of the fault, one per line. */
  readonly variants?: readonly string[];
};

/** A table; columns of numbers are right-aligned. */
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

/** An entry of a list, with its details. */
export type Item = { readonly line: Line; readonly parts?: readonly Part[] };

export type Parts = { readonly kind: 'parts'; readonly parts: readonly Part[] };

/** A value with its label. A shell line is never cut. */
export type Part = readonly [label: string, value: Span | { readonly shell: string }];

/** One span, or several in a row. */
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

/** The meaning of a text, which a terminal shows as a color. */
export type Tint = 'good' | 'bad' | 'warn' | 'note' | 'dim';

/** A sign for an outcome. */
export type Mark = 'passed' | 'failed' | 'warning' | 'waived' | 'observed' | 'left-out';

export function spansOf(line: Line): readonly Span[] {
  return typeof line === 'string' || !('length' in line) ? [line] : line;
}

/** Returns the sections of formats other than text that have blocks. */
export function sectionsOf(document: Document): Document {
  return document.filter(({ blocks, opensText }) => blocks.length > 0 && opensText !== 'only');
}

/** Returns a list, or no block if there are no items. */
export function listOf(items: readonly Item[], title?: string): List[] {
  return items.length === 0 ? [] : [{ kind: 'list', title, items }];
}

/** Returns a table, or no block if there are no rows. */
export function tableOf(columns: readonly string[], rows: Table['rows']): Table[] {
  return rows.length === 0 ? [] : [{ kind: 'table', columns, rows }];
}

/** Returns, for each column, whether all of its cells begin with a number. */
export function numberColumns({ columns, rows }: Table): readonly boolean[] {
  const isNumber = (cell: Line): boolean =>
    /^(?:–$|[-+<[(]*\$?\s?\d)/.test(
      spansOf(cell)
        .map((span) => (typeof span === 'string' ? span : 'text' in span ? span.text : ''))
        .join(''),
    );
  return columns.map((_, at) => rows.every((row) => isNumber(row[at] ?? '')));
}
