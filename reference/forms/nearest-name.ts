/**
 * Returns the name that takes the fewest edits to make of a text.
 *
 * @example nearestName('no-detail', ['dust', 'no-details']) // 'no-details'
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const byEdits = names.map((name) => [editsBetween(text, name), name] as const);
  return byEdits.sort(([one], [other]) => one - other)[0]?.[1];
}

/** Counts letters to insert, remove or replace (Levenshtein). */
function editsBetween(text: string, name: string): number {
  let edits = Array.from({ length: name.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...text].entries()) {
    const next = [row + 1];
    for (let at = 0; at < name.length; at++) {
      const replaced = (edits[at] as number) + (name[at] === letter ? 0 : 1);
      next.push(Math.min(replaced, (edits[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    edits = next;
  }
  return edits.at(-1) as number;
}
