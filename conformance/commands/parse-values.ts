import { InvalidArgumentError, Option } from 'commander';
import type { Gate } from '../runner/verdict.ts';

/** `must` or `should`. */
export function parseLevel(text: string): Gate {
  if (text === 'must' || text === 'should') return text;
  throw new InvalidArgumentError('Expected must or should.');
}

parseLevel.schema = { enum: ['must', 'should'] };

/** Returns the option `--verbose`, shared by the commands that judge. */
export function verboseOption(): Option {
  return new Option(
    '--verbose',
    'list every rule and observation on standard output, not one line a section',
  );
}
