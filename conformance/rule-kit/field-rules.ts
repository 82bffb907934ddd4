import { isObject } from '../checks/reply-body.ts';
import type { Endpoint } from '../contract/paths.ts';
import { type TObject, type TSchema, Type } from '../contract/schema.ts';
import type { ReplyBreak } from '../model/breaks.ts';
import type { Fault, ReplyRule } from '../model/rule.ts';
import { jsonType, ownWords, quote } from '../model/statement.ts';
import { faultsOf } from './faults.ts';
import type { Fields, Find, Found } from './reply-values.ts';

/** A resource of section 2, and the parts from which the names of its rules are built. */
export type Resource = {
  /** The section: `2.3`. */
  readonly section: string;
  /** First part of the rule ids: `token`. */
  readonly slug: string;
  readonly endpoint?: Endpoint;
  readonly ofErrors?: true;
  /**
   * JSON pointers to objects of this type in the correct reply, one for each place where the type
   * appears.
   */
  readonly at: readonly [string, ...string[]];
  /** Prefix of the field's name in titles and ids, for nested objects: `metadata`. */
  readonly within?: string;
};

/**
 * Returns one rule for each field of a resource. The rule holds if the field has its type; only an
 * optional field may be missing. Nested fields, ranges and formats have separate rules, so that a
 * fault fails only one rule.
 *
 * @see Specification 2
 */
export function fieldRules(
  resource: Resource,
  schema: TObject,
  find: Find<Fields>,
): readonly ReplyRule[] {
  return Object.entries(schema.properties).map(([field, type]) => {
    const isRequired = schema.required?.includes(field) ?? false;
    return fieldRule(resource, find, field, type, isRequired);
  });
}

function fieldRule(
  resource: Resource,
  find: Find<Fields>,
  field: string,
  schema: TSchema,
  isRequired: boolean,
): ReplyRule {
  const { words: type, holds: isOfType, wrong } = fieldTypeOf(schema);
  const path = resource.within === undefined ? field : `${resource.within}.${field}`;
  const isThere = ({ value }: Found<Fields>) => value[field] !== undefined;
  const faultOf = (object: Found<Fields>): Fault => {
    const pointer = isThere(object) ? `${object.pointer}/${field}` : object.pointer;
    return isThere(object)
      ? {
          ...{ fault: 'wrong-type', data: { type: jsonType(object.value[field]) } },
          expected: ownWords(`\`${path}\` is ${type}`),
          actual: [quote(object.value[field])],
          pointer,
        }
      : {
          fault: 'missing',
          expected: ownWords(`\`${path}\` is present, ${type}`),
          actual: ownWords(`\`${path}\` is missing`),
          pointer,
        };
  };
  return {
    kind: 'reply',
    id: `${resource.slug}/${toKebabCase(path)}`,
    clause: `${resource.section} ${field}`,
    level: 'must',
    title: `returns \`${path}\`${isRequired ? '' : ', if at all,'} as ${type}`,
    ...(resource.endpoint && { endpoint: resource.endpoint }),
    ...(resource.ofErrors && { ofErrors: resource.ofErrors }),
    needs: isRequired ? 'a reply with this object' : `a reply with \`${path}\``,
    breaks: resource.at.flatMap((at): readonly ReplyBreak[] => [
      ...(isRequired
        ? [
            [
              { [`${at}/${field}`]: undefined },
              `at ${at || 'the top level'}: \`${path}\` is missing`,
            ] as const,
          ]
        : []),
      ...wrong.map((value) => [{ [`${at}/${field}`]: value }, `at ${at}/${field}`] as const),
    ]),
    // Other elements of the list may have the field.
    ...(!isRequired && {
      notApplicable: resource.at
        .filter((at) => !/[0-9]/.test(at))
        .map((at) => [{ [`${at}/${field}`]: undefined }] as const),
    }),
    check: (input, t) => {
      let judged = 0;
      let wrong: Found<Fields>[] | undefined;
      for (const object of find(input)) {
        const value = object.value[field];
        if (value === undefined && !isRequired) continue;
        judged++;
        if (value !== undefined && isOfType(value)) continue;
        wrong ??= [];
        wrong.push(object);
      }
      if (judged > 0) t.check(wrong && faultsOf(wrong, faultOf));
    },
  };
}

type FieldType = {
  readonly words: string;
  readonly holds: (value: unknown) => boolean;
  readonly wrong: readonly unknown[];
};

/** Omits bounds and nested fields, which other rules judge. */
function fieldTypeOf(schema: TSchema): FieldType {
  if (Type.IsArray(schema)) {
    const { words, holds, wrong } = fieldTypeOf(schema.items);
    return {
      words: `an array of ${words.replace(/^an? /, '')}s`,
      holds: (value) => Array.isArray(value) && value.every(holds),
      wrong: [{}, 'none', null, wrong.slice(0, 1)],
    };
  }
  if (Type.IsObject(schema) || Type.IsRecord(schema))
    return { words: 'an object', holds: isObject, wrong: ['none', [], null, 5] };
  if (Type.IsString(schema)) {
    return {
      words: 'a string',
      holds: (value) => typeof value === 'string',
      wrong: [5, null, true, false, [], {}],
    };
  }
  if (Type.IsInteger(schema))
    return { words: 'an integer', holds: Number.isInteger, wrong: ['7', 1.5, null] };
  if (Type.IsNumber(schema))
    return { words: 'a number', holds: Number.isFinite, wrong: ['1', null] };
  if (Type.IsBoolean(schema)) {
    return {
      words: 'a boolean',
      holds: (value) => typeof value === 'boolean',
      wrong: ['false', 1, null],
    };
  }
  const { enum: values = [] } = schema as { readonly enum?: readonly unknown[] };
  return {
    words: `one of ${values.join(', ')}`,
    holds: (value) => values.includes(value),
    wrong: ['Default-Router', 5],
  };
}

function toKebabCase(name: string): string {
  return name
    .replace(/URI/g, 'Uri')
    .replaceAll('.', '-')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
