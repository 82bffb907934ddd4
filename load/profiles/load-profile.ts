import type { ErrorObject } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readYaml, YamlError } from '../../conformance/output/read-yaml.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { isShare } from '../model/metrics.ts';
import { kindName, type Profile, ProfileSchema } from '../model/profile.ts';
import { BUILT_IN_PROFILES } from './built-in.ts';

const validate = new Ajv2020({ allErrors: true, verbose: true }).compile<Profile>(ProfileSchema);

/**
 * Returns the built-in profile with that name, or the profile in that file (YAML or JSON).
 * @throws {UsageError} if `nameOrFile` is neither, or the file is not a profile
 */
export function loadProfile(nameOrFile: string): Profile {
  const builtIn = BUILT_IN_PROFILES.find(({ name }) => name === nameOrFile);
  if (builtIn !== undefined) return builtIn;
  let document: unknown;
  try {
    document = readYaml(nameOrFile);
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    const names = BUILT_IN_PROFILES.map(({ name }) => name).join(', ');
    const what = cause.isUnreadable
      ? `'${nameOrFile}' is not a profile: expected one of ${names}, or a readable file`
      : `${nameOrFile} cannot be read as YAML or JSON: ${cause.message}`;
    throw new UsageError(what, { cause });
  }
  return parseProfile(document, nameOrFile);
}

/**
 * Returns `document` as a profile. Errors name its `origin`.
 * @throws {UsageError} naming the field, its value and the expectation
 */
export function parseProfile(document: unknown, origin: string): Profile {
  if (!validate(document)) {
    const errors = validate.errors ?? [];
    throw new UsageError(`${origin}: ${describeSchemaErrors(document, errors)}`);
  }
  const contradiction = describeContradiction(document);
  if (contradiction !== undefined) throw new UsageError(`${origin}: ${contradiction}`);
  return document;
}

function describeContradiction(profile: Profile): string | undefined {
  for (const check of [
    workloadContradiction,
    clientContradiction,
    mixContradiction,
    thresholdContradiction,
  ]) {
    const found = check(profile);
    if (found !== undefined) return found;
  }
  return undefined;
}

function workloadContradiction({ workload }: Profile): string | undefined {
  if (workload.model === 'breakpoint' && workload.maxRate < workload.startRate) {
    return `/workload/maxRate is ${workload.maxRate}: expected at least startRate, ${workload.startRate}`;
  }
  if (workload.model !== 'open' || workload.stages.some(({ rate }) => rate > 0)) return undefined;
  return '/workload/stages all have the rate 0: nothing would be sent';
}

function clientContradiction({ connections, processes }: Profile): string | undefined {
  if (connections >= processes) return undefined;
  return `/connections is ${connections}: expected at least one for each of the ${processes} processes`;
}

function mixContradiction({ mix }: Profile): string | undefined {
  for (const [index, { request, weight: _weight, ...traits }] of mix.entries()) {
    const [trait] = Object.keys(traits);
    if (request !== 'swap' && trait !== undefined) {
      return `/mix/${index} has '${trait}', which belongs to swap and not to ${request}`;
    }
  }
  return undefined;
}

function thresholdContradiction({ thresholds, mix, workload }: Profile): string | undefined {
  const names = ['all', ...new Set(mix.map(kindName))];
  for (const { metric, endpoint = 'all', min, max } of thresholds) {
    if (min === undefined && max === undefined) {
      return `the threshold on ${metric} has no bound: expected min or max`;
    }
    if (!names.includes(endpoint)) {
      return `the threshold on ${metric} is for '${endpoint}', which is not in the mix: expected one of ${names.join(', ')}`;
    }
    const bound = Math.max(min ?? 0, max ?? 0);
    if (isShare(metric) && bound > 1) {
      return `the threshold on ${metric} is ${bound}: expected a share from 0 to 1`;
    }
    if (metric === 'rate' && workload.model === 'closed') {
      return 'a threshold on the rate is not allowed: in a closed workload, the connections set the pace';
    }
  }
  return undefined;
}

function describeSchemaErrors(document: unknown, errors: readonly ErrorObject[]): string {
  const model = modelOf(document);
  if (model !== undefined && !MODELS.includes(model)) {
    return `/workload/model is ${JSON.stringify(model)}: expected one of ${MODELS.join(', ')}`;
  }
  const branch = model === undefined ? undefined : `/anyOf/${MODELS.indexOf(model)}/`;
  // In a union, only errors of the selected branch count. The deepest error is the most specific.
  // At the same depth, an unknown field takes precedence over a missing field.
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
