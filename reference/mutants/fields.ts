import { alterBody, alterError, type Bodies, type JsonObject } from './alter-reply.ts';
import type { Mutant } from './mutant.ts';

/** One way to spoil a field of an object. */
export type FieldFault = {
  /** End of the mutant's id. */
  readonly slug: string;
  readonly words: string;
  readonly spoil: (object: JsonObject, field: string) => void;
};

/** The field is left out. */
export const absent: FieldFault = {
  slug: 'absent',
  words: 'is missing',
  spoil: (object, field) => {
    delete object[field];
  },
};

/** The field is there with a value of another type. */
export function becomes(slug: string, words: string, of: (value: unknown) => unknown): FieldFault {
  return {
    slug,
    words: `is ${words}`,
    spoil: (object, field) => {
      if (field in object) object[field] = of(object[field]);
    },
  };
}

/** The optional field is there, wrongly. */
export function appears(slug: string, words: string, value: unknown): FieldFault {
  return {
    slug,
    words: `is ${words}`,
    spoil: (object, field) => {
      object[field] = value;
    },
  };
}

export const asNull = becomes('null', 'null', () => null);
export const asText = becomes('as-text', 'a string', String);
export const asNumber = becomes('as-number', 'a number', Number);
export const asFraction = becomes('as-fraction', 'a fraction', (value) => Number(value) + 0.5);
export const asBoolean = becomes('as-boolean', 'a boolean', Boolean);
export const asArray = becomes('as-array', 'an array around its value', (value) => [value]);
export const asObject = becomes('as-object', 'an object', (value) => ({ ...Object(value) }));

/** The fields of a resource to spoil, and where its objects stand. */
export type FieldMutants = {
  readonly section: string;
  /** First part of the rule ids. */
  readonly slug: string;
  readonly operation: keyof Bodies | 'error';
  /** Steps from the body to the objects: `routes`, `*`; none is the body itself. */
  readonly path: readonly string[];
  readonly rows: readonly (readonly [field: string, ...faults: readonly FieldFault[]])[];
  /** Put before the field's name in rule ids, for nested objects. */
  readonly within?: string;
};

/** Returns a mutant for each fault of each field: every object of the resource has it. */
export function fieldMutants(resource: FieldMutants): readonly Mutant[] {
  const { section, slug, operation, path, rows, within } = resource;
  return rows.flatMap(([field, ...faults]) =>
    faults.map((fault): Mutant => {
      const rule = `${slug}/${within === undefined ? '' : `${within}-`}${kebab(field)}`;
      const spoil = (body: unknown) => {
        for (const object of objectsAt(body, path)) fault.spoil(object, field);
      };
      return {
        id: `${rule}-${fault.slug}`,
        clause: `${section} ${field}`,
        caughtBy: rule,
        title: `\`${field}\` ${fault.words}`,
        middleware: () => (operation === 'error' ? alterError(spoil) : alterBody(operation, spoil)),
      };
    }),
  );
}

/** Returns the objects at the end of some steps; `*` is every element of an array. */
export function objectsAt(value: unknown, path: readonly string[]): readonly JsonObject[] {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null) return [];
  if (step === undefined) return [value as JsonObject];
  if (step === '*') return Object.values(value).flatMap((each) => objectsAt(each, rest));
  return objectsAt((value as JsonObject)[step], rest);
}

function kebab(name: string): string {
  return name.replace('URI', 'Uri').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
