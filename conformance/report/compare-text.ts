import { createPaint, type Paint } from '../output/paint.ts';
import { printable } from '../output/printable.ts';
import { outcomeWords } from './anatomy.ts';
import type { ReportComparison, RuleChange } from './compare.ts';

/**
 * Returns a comparison for a terminal, newly failing rules first.
 *
 * @param colour - Whether to colour it; the caller has asked NO_COLOR and the terminal.
 */
export function writeComparison(comparison: ReportComparison, colour = false): string {
  const paint = createPaint(colour);
  const { newlyFailing, newlyPassing, otherwiseChanged, changedObservations } = comparison;
  const sections = [
    section('Newly failing', newlyFailing, paint.red, changeLine, paint),
    section('Newly passing', newlyPassing, paint.green, changeLine, paint),
    section('Otherwise changed', otherwiseChanged, paint.yellow, changeLine, paint),
    section(
      'Changed where the specification is silent',
      changedObservations,
      paint.cyan,
      ({ id, clause, title, before, after }) =>
        `${clause}  ${id}: ${printable(title)}\n    before: ${observedText(before)}\n    after:  ${observedText(after)}`,
      paint,
    ),
  ].filter((text) => text !== '');
  return `${[...sections, paint.bold(countsOf(comparison))].join('\n\n')}\n`;
}

/** Returns how many rules changed in which way, in one line. */
export function countsOf(comparison: ReportComparison): string {
  const { newlyFailing, newlyPassing, otherwiseChanged, changedObservations } = comparison;
  return (
    `${newlyFailing.length} newly failing, ${newlyPassing.length} newly passing, ` +
    `${otherwiseChanged.length} otherwise changed, ${changedObservations.length} changed observations`
  );
}

function section<Item>(
  title: string,
  items: readonly Item[],
  tint: (text: string) => string,
  line: (item: Item) => string,
  paint: Paint,
): string {
  if (items.length === 0) return '';
  return [paint.bold(tint(title)), ...items.map((item) => `  ${line(item)}`)].join('\n');
}

function changeLine({ id, clause, level, title, before, after, actual }: RuleChange): string {
  const was = before === undefined ? 'absent' : outcomeWords(before);
  const is = after === undefined ? 'absent' : outcomeWords(after);
  const why = actual === undefined ? '' : `\n    Actual: ${printable(actual, 300)}`;
  return `${clause}  ${id} [${level}]: ${printable(title)} (${was} -> ${is})${why}`;
}

function observedText(observed: string | undefined): string {
  return observed === undefined ? 'nothing' : printable(observed, 300);
}
