import { type Command, InvalidArgumentError, Option } from 'commander';
import { decimalNumber, named, repeated } from '../output/option-values.ts';
import type { Gate } from '../runner/verdict.ts';

function parseLevel(text: string): Gate {
  if (text === 'must' || text === 'should') return text;
  throw new InvalidArgumentError('Expected must or should.');
}

parseLevel.schema = { enum: ['must', 'should'] };

/** Adds the options that select rules. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option(
      '--only <id|clause>',
      'judge only these rules, repeatable: an id, a clause or a section, * for any text',
      repeated(String),
    )
    .option(
      '--level <level>',
      'judge only must rules (must), or count failed should rules too (should)',
      parseLevel,
    );
}

/** Returns the option `--verbose`, shared by the commands that judge. */
export function verboseOption(): Option {
  return new Option(
    '--verbose',
    'list every rule and observation, instead of one line per section',
  );
}

/** Returns the option `--tolerance-ppm`. */
export function toleranceOption(): Option {
  return new Option(
    '--tolerance-ppm <n>',
    'allow this imbalance at an intermediate token, in parts per million (default: 1)',
  ).argParser(decimalNumber('zero'));
}

/** Returns the option `--waivers`. */
export function waiversOption(): Option {
  const option = new Option(
    '--waivers <file>',
    'accept the known failures in this file, each with a reason and a date',
  );
  return named('waiverFile', option);
}

/** Returns the option `--rules`. */
export function rulesOption(): Option {
  const option = new Option(
    '--rules <file>',
    'also apply the custom rules in this file, repeatable',
  );
  return named('ruleFiles', option.argParser(repeated(String)));
}
