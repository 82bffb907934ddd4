import { isObject, successBody } from '../checks/reply-body.ts';
import { type TSchema, Type } from '../contract/schema.ts';
import { formatQuoted } from '../model/format-statement.ts';
import { type Judge, observe } from './reply-judges.ts';

const MAX_FIELDS_PER_OBSERVATION = 20;

/** Returns a judge that records a reply's fields that are not in the schema. */
export function observesExtraFields(schema: TSchema): Judge {
  return observe(({ reply }) => {
    const body = successBody(reply);
    if (body === undefined) return undefined;
    const extra = new Set<string>();
    addExtraFields(schema, body, '', extra);
    if (extra.size === 0) return 'none';
    return [...extra].sort().slice(0, MAX_FIELDS_PER_OBSERVATION).map(formatQuoted).join(', ');
  });
}

function addExtraFields(schema: TSchema, value: unknown, path: string, extra: Set<string>): void {
  if (Type.IsArray(schema) && Array.isArray(value)) {
    for (const element of value) addExtraFields(schema.items, element, `${path}*.`, extra);
  }
  if (!Type.IsObject(schema) || !isObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const known: TSchema | undefined = schema.properties[name];
    if (known === undefined) extra.add(`${path}${name}`);
    else addExtraFields(known, field, `${path}${name}.`, extra);
  }
}
