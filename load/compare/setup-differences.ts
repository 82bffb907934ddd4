import { isDeepStrictEqual } from 'node:util';
import type { LoadResult } from '../model/load-result.ts';

/** Returns what else than the service differs between two runs, a sentence each. */
export function setupDifferences(base: LoadResult, head: LoadResult): string[] {
  const fields = PLAYED.filter(
    (name) => !isDeepStrictEqual(base.profile[name], head.profile[name]),
  );
  const [before, after] = [namesOf(base), namesOf(head)];
  const pairs = [
    ['seed', base.seed, head.seed],
    ['version of swapcheck', base.version, head.version],
    ['number of cores', base.client.cores, head.client.cores],
    ['version of node', base.client.node, head.client.node],
  ] as const;
  return [
    ...(fields.length === 0 ? [] : [`the profiles differ in ${fields.join(', ')}`]),
    ...pairs.flatMap(([name, one, other]) =>
      one === other ? [] : [`the ${name} is ${one} in the base and ${other} in the head`],
    ),
    ...aloneIn('base', before, after),
    ...aloneIn('head', after, before),
  ];
}

// Not its name and description, nor the thresholds: they change no figure.
const PLAYED = ['workload', 'connections', 'processes', 'timeoutMs', 'warmUpS', 'mix'] as const;

function namesOf({ endpoints }: LoadResult): string[] {
  return endpoints.map(({ name }) => name);
}

function aloneIn(side: string, names: readonly string[], others: readonly string[]): string[] {
  const alone = names.filter((name) => !others.includes(name));
  return alone.length === 0 ? [] : [`asked for in the ${side} alone: ${alone.join(', ')}`];
}
