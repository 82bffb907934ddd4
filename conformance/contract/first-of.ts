/**
 * Returns at most `max` items. If there are more, an item with the number of the others follows.
 *
 * @example firstOf(['a', 'b', 'c'], 1, (more) => `${more} more`) // ['a', '2 more']
 */
export function firstOf<Item>(
  items: readonly Item[],
  max: number,
  rest: (more: number) => Item,
): Item[] {
  const more = items.length - max;
  return more > 0 ? [...items.slice(0, max), rest(more)] : [...items];
}
