import type { Markup } from './markup.ts';

/**
 * A report for people, the most important part first. Its text is never markup: text from a service
 * is shown literally.
 */
export type Document = readonly Section[];

/** A section, omitted if it has no blocks. */
export type Section = {
  readonly title?: Line;
  /** If set, text begins with this section. `only`: no other place or format has it. */
  readonly opensText?: 'also' | 'only';
  readonly blocks: readonly Block[];
  /** Replaces the title and blocks in brief text. */
  readonly brief?: readonly Block[];
  /** Replaces the title and blocks in Markdown. */
  readonly summary?: readonly Block[];
};

export type Block =
  | Verdict
  | Finding
  | Table
  | List
  | Parts
  | Fold
  | Figure
  | { kind: 'line'; line: Line };

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
  /** Shown on a page at the end of the heading. */
  readonly note?: string;
  readonly attributes?: Attributes;
  /** The broken clause, or the rules that the fault breaks, one per line. */
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
  readonly title?: Line | undefined;
  readonly items: readonly Item[];
};

/** An entry of a list, with its details. */
export type Item = {
  readonly line: Line;
  readonly parts?: readonly Part[];
  readonly attributes?: Attributes;
};

/** HTML attributes, for the script of a page. Names are constants of this program. */
export type Attributes = Readonly<Record<string, string>>;

export type Parts = { readonly kind: 'parts'; readonly parts: readonly Part[] };

/** A value with its label. A shell line is never cut. */
export type Part = readonly [label: string, value: PlainValue | Drawing];
type PlainValue = Line | { readonly shell: string };

/** A value that pages draw. Other formats show the text, or omit the part if there is none. */
type Drawing = { readonly draw: () => Markup; readonly text?: Line };

/** Blocks under a title, collapsed on pages and in Markdown. */
export type Fold = {
  readonly kind: 'fold';
  readonly title: Line;
  readonly blocks: readonly Block[];
};

/** A drawing on a page. Other formats show the blocks instead. */
export type Figure = {
  readonly kind: 'figure';
  readonly draw: () => Markup;
  readonly blocks: readonly Block[];
};

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
      /** Target of a link on a page: a fragment, or the path of a file next to the page. */
      readonly href?: string | undefined;
    };

/** The meaning of a text, which a terminal shows as a color. */
export type Tint = 'good' | 'bad' | 'warn' | 'note' | 'dim';

/** A sign for an outcome. */
export type Mark = 'passed' | 'failed' | 'warning' | 'waived' | 'observed' | 'left-out';

export function spansOf(line: Line): readonly Span[] {
  return typeof line === 'string' || !('length' in line) ? [line] : line;
}

/** Returns the sections for formats other than text. Sections without blocks are omitted. */
export function sectionsOf(document: Document): Document {
  return document.filter(({ blocks, opensText }) => blocks.length > 0 && opensText !== 'only');
}

/** Returns the parts without drawings, as formats other than pages show them. */
export function plainParts(parts: readonly Part[]): (readonly [string, PlainValue])[] {
  return parts.flatMap(([label, value]) => {
    if (typeof value !== 'object' || !('draw' in value)) return [[label, value] as const];
    return value.text === undefined ? [] : [[label, value.text] as const];
  });
}

/** Returns a list, or no block if there are no items. */
export function listOf(items: readonly Item[], title?: Line): List[] {
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
