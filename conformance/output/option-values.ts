import { InvalidArgumentError } from 'commander';

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[0-9]{1,15}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** A parser of numbers above 0, or from 0 on, fractions included. */
export function decimalNumber(atLeast: 'zero' | 'more'): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const fits = atLeast === 'zero' ? value >= 0 : value > 0;
    if (/^[0-9]+(\.[0-9]+)?$/.test(text) && fits && value <= 1e9) return value;
    throw new InvalidArgumentError(
      `Expected a number ${atLeast === 'zero' ? 'from 0 on' : 'above 0'}.`,
    );
  };
}

/** Gathers a repeatable option, each value parsed. */
export function repeated<T>(parse: (text: string) => T): (text: string, earlier?: T[]) => T[] {
  return (text, earlier = []) => [...earlier, parse(text)];
}

/** Returns the options that were given: those that are not undefined. */
export function given<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Options>;
}

type Given<Options> = { readonly [Name in keyof Options]?: Exclude<Options[Name], undefined> };

/** Returns what `parse` returns; an error of the class is one that commander shows. */
export function asArgument<T>(expected: new (text: string) => Error, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof expected) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
