import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type TObject, type TSchema, Type } from 'typebox';
import type { Endpoint } from '../contract/paths.ts';
import type { ReplyRule } from '../model/rule.ts';
import { type Fault, quote, verdictOf } from './faults.ts';
import type { Fields, Find, Found } from './reply-values.ts';

/** A resource of section 2, and how the rules on its fields are named. */
export type Resource = {
  /** The section: `2.3`. */
  readonly section: string;
  /** First part of the rule ids: `token`. */
  readonly slug: string;
  readonly endpoint?: Endpoint;
  /** Put before the field's name in titles and ids, for nested objects: `metadata`. */
  readonly within?: string;
};

/**
 * Returns one rule for each field of a resource: present unless it is optional,
 * and of its type. Fields inside an object or an array have rules of their own,
 * and so have ranges and formats, so that one fault fails one rule.
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

const ajv = new Ajv2020({ strict: false, strictNumbers: true });

function fieldRule(
  resource: Resource,
  find: Find<Fields>,
  field: string,
  schema: TSchema,
  isRequired: boolean,
): ReplyRule {
  const shallow = shallowSchema(schema);
  const isValid: ValidateFunction = ajv.compile(shallow);
  const type = typeWords(shallow);
  const path = resource.within === undefined ? field : `${resource.within}.${field}`;
  const isThere = ({ value }: Found<Fields>) => Object.hasOwn(value, field);
  const faultOf = (object: Found<Fields>): Fault => {
    const pointer = isThere(object) ? `${object.pointer}/${field}` : object.pointer;
    return isThere(object)
      ? { expected: `\`${path}\` is ${type}`, actual: quote(object.value[field]), pointer }
      : { expected: `\`${path}\` is present, ${type}`, actual: 'it is missing', pointer };
  };
  return {
    kind: 'reply',
    id: `${resource.slug}/${kebab(path)}`,
    clause: `${resource.section} ${field}`,
    level: 'must',
    title: `returns \`${path}\`${isRequired ? '' : ', if at all,'} as ${type}`,
    ...(resource.endpoint === undefined ? {} : { endpoint: resource.endpoint }),
    needs: isRequired ? 'a reply with this object' : `a reply with \`${path}\``,
    judge: ({ reply }) => {
      const objects = find({ reply });
      const judged = isRequired ? objects : objects.filter(isThere);
      if (judged.length === 0) return undefined;
      return verdictOf(
        judged.filter((object) => !(isThere(object) && isValid(object.value[field]))),
        faultOf,
      );
    },
  };
}

/** The type alone: what stands inside, and within which bounds, other rules judge. */
function shallowSchema(schema: TSchema): TSchema {
  if (Type.IsArray(schema)) return Type.Array(shallowSchema(schema.items));
  if (Type.IsObject(schema) || Type.IsRecord(schema)) return Type.Object({});
  if (Type.IsString(schema)) return Type.String();
  if (Type.IsInteger(schema)) return Type.Integer();
  return schema;
}

function typeWords(schema: TSchema): string {
  if (Type.IsArray(schema)) return `an array of ${typeWords(schema.items).replace(/^an? /, '')}s`;
  if (Type.IsObject(schema)) return 'an object';
  if (Type.IsString(schema)) return 'a string';
  if (Type.IsInteger(schema)) return 'an integer';
  if (Type.IsNumber(schema)) return 'a number';
  if (Type.IsBoolean(schema)) return 'a boolean';
  const { enum: values } = schema as { readonly enum?: readonly string[] };
  return `one of ${values?.join(', ')}`;
}

function kebab(name: string): string {
  return name
    .replace(/URI/g, 'Uri')
    .replaceAll('.', '-')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
