import type { ErrorObject } from 'ajv/dist/2020.js';
import { ProfileSchema } from '../model/profile.ts';

/** Returns in one sentence why a document is not a profile: the field, its value and the expectation. */
export function describeSchemaErrors(document: unknown, errors: readonly ErrorObject[]): string {
  const model = modelOf(document);
  if (model !== undefined && !MODELS.includes(model)) {
    return `/workload/model is ${JSON.stringify(model)}: expected one of ${MODELS.join(', ')}`;
  }
  const branch = model === undefined ? undefined : `/anyOf/${MODELS.indexOf(model)}/`;
  // Only errors of the selected branch of a union. The deepest error is the most specific, and a wrong name more so than a missing one.
  const [error] = errors
    .filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'const')
    .filter(({ schemaPath }) => !schemaPath.includes('/anyOf/') || isIn(schemaPath, branch))
    .sort((a, b) => depth(b) - depth(a) || Number(isExtra(b)) - Number(isExtra(a)));
  if (error === undefined) return 'is not a load profile';
  const { instancePath, data, params } = error;
  const where = instancePath === '' ? 'the profile' : instancePath;
  const [extra, missing, allowed]: unknown[] = [
    params['additionalProperty'],
    params['missingProperty'],
    params['allowedValues'],
  ];
  if (typeof extra === 'string') return `${where} has '${extra}', which is not allowed there`;
  if (typeof missing === 'string') return `${where} has no '${missing}'`;
  if (Array.isArray(allowed)) {
    return `${where} is ${show(data)}: expected one of ${allowed.join(', ')}`;
  }
  return `${where} is ${show(data)}: ${error.message}`;
}

const MODELS: readonly unknown[] = ProfileSchema.properties.workload.anyOf.map(
  ({ properties }) => properties.model.const,
);

function modelOf(document: unknown): unknown {
  const workload = Object(document)['workload'];
  return Object(workload)['model'];
}

function isIn(schemaPath: string, branch: string | undefined): boolean {
  return branch === undefined || schemaPath.includes(branch);
}

function isExtra({ keyword }: ErrorObject): boolean {
  return keyword === 'additionalProperties';
}

function depth({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
