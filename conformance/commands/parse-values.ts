import { InvalidArgumentError } from 'commander';
import type { Gate } from '../runner/verdict.ts';

/** `must` or `should`. */
export function parseLevel(text: string): Gate {
  if (text === 'must' || text === 'should') return text;
  throw new InvalidArgumentError('Expected must or should.');
}
