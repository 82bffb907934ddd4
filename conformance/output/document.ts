/**
 * A report as people read it, what matters most first. Text in it is never
 * markup: whatever a service said is shown as it is.
 */
export type Document = readonly Section[];

/** A section without blocks is left out. */
export type Section = {
  readonly title?: Line;
  /** Few want it: Markdown folds it away under its title. */
  readonly isFolded?: true;
  readonly blocks: readonly Block[];
};

export type Block =
  | {
      readonly kind: 'verdict';
      /** What was judged. */
      readonly subject: string;
      readonly verdict: string;
      readonly tint: 'good' | 'bad' | 'warn';
      readonly reason: string;
    }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'list'; readonly title?: Line; readonly items: readonly Item[] }
  | {
      readonly kind: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Line[])[];
    }
  | { readonly kind: 'parts'; readonly parts: readonly Part[] }
  | {
      /** The cases in which one rule of a clause is broken; a writer shows as many as fit. */
      readonly kind: 'findings';
      readonly clause: string;
      readonly words?: string;
      readonly rule: Line;
      readonly cases: readonly (readonly Part[])[];
    };

/** An entry of a list, with what belongs to it. */
export type Item = { readonly line: Line; readonly parts?: readonly Part[] };

/** The head of a column; one of numbers is aligned to the right. */
export type Column = string | { readonly numbers: string };

/** A value with its label; a line for a shell is shown whole. */
export type Part = readonly [label: string, value: Span | { readonly shell: string }];

/** Text, or pieces of text in a row. */
export type Line = Span | readonly Span[];

export type Span =
  | string
  | { readonly mark: Mark }
  | {
      readonly text: string;
      readonly tint?: Tint;
      readonly isBold?: true;
      readonly isCode?: true;
    };

/** What a text says of its subject; a terminal colours it so. */
export type Tint = 'good' | 'bad' | 'warn' | 'note' | 'dim';

/** A sign for how something came out. */
export type Mark = 'passed' | 'failed' | 'warning' | 'waived' | 'observed' | 'left-out';

/** Returns the pieces of a line. */
export function spansOf(line: Line): readonly Span[] {
  return typeof line === 'string' || !('length' in line) ? [line] : line;
}
