import { type Command, InvalidArgumentError, Option } from 'commander';

/**
 * Schema of a text in a configuration file. Numbers are rejected, since YAML reads `2.10` as the
 * number 2.1.
 */
export const TEXT_SCHEMA = { type: 'string' };

/**
 * Parses the text of an option. `schema` is the JSON Schema of the value in a configuration file.
 */
export type OptionParser<T, Parse = (text: string) => T> = Parse & { readonly schema: object };

export function wholeNumber(min: number, max: number): OptionParser<number> {
  const parse = (text: string) => {
    const value = Number(text);
    if (/^[0-9]{1,15}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
  return Object.assign(parse, { schema: { type: 'integer', minimum: min, maximum: max } });
}

const MAX_DECIMAL = 1_000_000_000;

/**
 * Returns a parser for decimal numbers, including fractions. Zero is the minimum or is excluded.
 */
export function decimalNumber(atLeast: 'zero' | 'more'): OptionParser<number> {
  const parse = (text: string) => {
    const value = Number(text);
    const fits = atLeast === 'zero' ? value >= 0 : value > 0;
    if (/^[0-9]+(\.[0-9]+)?$/.test(text) && fits && value <= MAX_DECIMAL) return value;
    throw new InvalidArgumentError(
      `Expected a number ${atLeast === 'zero' ? 'from 0 to' : 'above 0, at most'} ${MAX_DECIMAL}.`,
    );
  };
  const least = atLeast === 'zero' ? { minimum: 0 } : { exclusiveMinimum: 0 };
  return Object.assign(parse, { schema: { type: 'number', ...least, maximum: MAX_DECIMAL } });
}

/** Returns a parser that multiplies each number by a unit. */
export function inUnits(parse: OptionParser<number>, unit: number): OptionParser<number> {
  return Object.assign((text: string) => parse(text) * unit, { schema: parse.schema });
}

/**
 * Renames the values of a command's options to the names that the program uses.
 *
 * @param names - By flag: `{ '--max-time': 'maxTimeMs' }`.
 */
export function withNames(command: Command, names: Readonly<Record<string, string>>): Command {
  command.createOption = (flags, description) => {
    const option = new Option(flags, description);
    return named(names[option.long ?? ''] ?? option.attributeName(), option);
  };
  return command;
}

/**
 * Sets the name under which the program reads an option's value. Returns the option. @see withNames
 */
export function named(name: string, option: Option): Option {
  option.attributeName = () => name;
  return option;
}

/** Collects the parsed values of a repeatable option. */
export function repeated<T>(
  parse: ((text: string) => T) & { readonly schema?: object },
): OptionParser<T[], (text: string, earlier?: T[]) => T[]> {
  const collect = (text: string, earlier: T[] = []) => [...earlier, parse(text)];
  return Object.assign(collect, { schema: oneOrMore(parse.schema ?? TEXT_SCHEMA) });
}

/** Returns the schema of an option whose value in a configuration file is one item or a list. */
export function oneOrMore(item: object): object {
  return { anyOf: [item, { type: 'array', items: item }] };
}

/** Returns the fields of an object that are not undefined. */
export function given<T extends object>(value: T): Given<T> {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

type Given<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };
