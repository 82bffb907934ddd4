import type { Fault, MutantTable } from './mutant.ts';
import { objectsAt } from './put.ts';

/** One way to spoil a field: another value where it is there, or a value always. */
type FieldFault = {
  /** End of the mutant's id. */
  readonly slug: string;
  /** What the field is then. */
  readonly is: string;
} & ({ readonly of: (value: unknown) => unknown } | { readonly always: unknown });

const FAULTS = {
  absent: { is: 'missing', of: () => undefined },
  null: { is: 'null', of: () => null },
  'as-text': { is: 'a string', of: String },
  'as-number': { is: 'a number', of: Number },
  'as-fraction': { is: 'a fraction', of: (value: unknown) => Number(value) + 0.5 },
  'as-boolean': { is: 'a boolean', of: Boolean },
  'as-array': { is: 'an array around its value', of: (value: unknown) => [value] },
  'as-object': { is: 'an object', of: (value: unknown) => ({ ...Object(value) }) },
};

/** The fields of a resource to spoil, and where its objects stand. */
type FieldMutants = {
  /** What rule ids begin with, before the field's name: `route/`, `token-info/metadata-`. */
  readonly rules: string;
  readonly reply: keyof Fault & ('plan' | 'tokens' | 'chains' | 'chainInfo' | 'error');
  /** Steps from the body to the objects: `routes.*`; none is the body itself. */
  readonly path?: string;
  readonly fields: Readonly<Record<string, readonly (keyof typeof FAULTS | FieldFault)[]>>;
};

/** Returns a mutant for each fault of each field: every object of the resource has it. */
export function fieldMutants({ rules, reply, path, fields }: FieldMutants): MutantTable {
  const steps = path?.split('.') ?? [];
  const mutants = Object.entries(fields).flatMap(([field, faults]) =>
    faults.map((each) => {
      const fault = typeof each === 'string' ? { slug: each, ...FAULTS[each] } : each;
      const caughtBy = `${rules}${kebab(field)}`;
      const title = `\`${field}\` is ${fault.is}`;
      const change = (body: unknown) => {
        for (const object of objectsAt(body, steps)) spoil(object, field, fault);
      };
      return [`${caughtBy}-${fault.slug}`, { caughtBy, title, [reply]: change }] as const;
    }),
  );
  return Object.fromEntries(mutants);
}

function spoil(object: Record<string, unknown>, field: string, fault: FieldFault): void {
  if ('always' in fault) object[field] = fault.always;
  else if (field in object) object[field] = fault.of(object[field]);
}

function kebab(name: string): string {
  return name.replace('URI', 'Uri').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
