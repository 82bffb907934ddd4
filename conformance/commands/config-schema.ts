import type { Command, Option } from 'commander';
import { type OptionParser, TEXT_SCHEMA } from '../output/option-values.ts';

/**
 * Returns the JSON Schema of a file for `--config` of a command. It is made of
 * the command's own options, by which such a file is read.
 */
export function configSchemaOf(command: Command): object {
  const options = command.options.filter(({ long }) => long !== '--config');
  return {
    type: 'object',
    properties: Object.fromEntries(
      options.map((option) => [
        option.long?.replace(/^--/, '') ?? '',
        { description: option.description, ...schemaOf(option) },
      ]),
    ),
    additionalProperties: false,
  };
}

function schemaOf(option: Option): object {
  if (option.isBoolean()) return { type: 'boolean' };
  const { schema } = (option.parseArg ?? {}) as Partial<OptionParser<unknown>>;
  return schema ?? TEXT_SCHEMA;
}
