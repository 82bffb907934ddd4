import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { parse as parseYaml } from 'yaml';
import { BUILT_IN_PROFILES } from './built-in.ts';
import { type Profile, ProfileSchema } from './profile.ts';

const validate = new Ajv2020({ allErrors: true, verbose: true }).compile<Profile>(ProfileSchema);

/**
 * Returns the built-in profile of that name, or the profile in that file (YAML
 * or JSON).
 *
 * @throws {InvalidProfileError} if there is neither, or the file is no profile
 */
export function loadProfile(nameOrFile: string): Profile {
  const builtIn = BUILT_IN_PROFILES.find(({ name }) => name === nameOrFile);
  if (builtIn !== undefined) return builtIn;
  let text: string;
  try {
    text = readFileSync(nameOrFile, 'utf8');
  } catch (cause) {
    const names = BUILT_IN_PROFILES.map(({ name }) => name).join(', ');
    throw new InvalidProfileError(
      `'${nameOrFile}' is no profile: expected one of ${names}, or a readable file`,
      { cause },
    );
  }
  let document: unknown;
  try {
    document = parseYaml(text);
  } catch (cause) {
    const [reason] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new InvalidProfileError(`${nameOrFile} is neither YAML nor JSON: ${reason}`, { cause });
  }
  return parseProfile(document, nameOrFile);
}

/**
 * Returns `document` as a profile; `origin` names it in errors.
 *
 * @throws {InvalidProfileError} naming the field, its value and what was expected
 */
export function parseProfile(document: unknown, origin: string): Profile {
  if (!validate(document)) {
    throw new InvalidProfileError(`${origin}: ${describe(validate.errors ?? [])}`);
  }
  const empty = document.thresholds.find(({ min, max }) => min === undefined && max === undefined);
  if (empty !== undefined) {
    throw new InvalidProfileError(
      `${origin}: the threshold on ${empty.metric} has no bound: expected min or max`,
    );
  }
  const { workload } = document;
  if (workload.model === 'breakpoint' && workload.maxRate < workload.startRate) {
    throw new InvalidProfileError(
      `${origin}: /workload/maxRate is ${workload.maxRate}: expected at least startRate, ${workload.startRate}`,
    );
  }
  return document;
}

// The deepest error says most: of a union, that is the branch that was meant.
function describe(errors: readonly ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  const [error] = [...errors]
    .filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'const')
    .sort((a, b) => depth(b) - depth(a));
  if (error === undefined) return 'is not a load profile';
  const value = JSON.stringify(error.data) ?? String(error.data);
  const shown = value.length > 80 ? `${value.slice(0, 80)}...` : value;
  const allowed: unknown = error.params['allowedValues'];
  const extra: unknown = error.params['additionalProperty'];
  const where = error.instancePath === '' ? 'the profile' : error.instancePath;
  if (typeof extra === 'string') return `${where} has '${extra}', which no profile has`;
  if (Array.isArray(allowed)) {
    return `${where} is ${shown}: expected one of ${allowed.join(', ')}`;
  }
  return `${where} is ${shown}: ${error.message}`;
}

/** Thrown for a profile that cannot be used. */
export class InvalidProfileError extends Error {
  override readonly name = 'InvalidProfileError';
}
