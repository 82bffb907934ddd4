import { Ajv2020 } from 'ajv/dist/2020.js';
import { readYaml, YamlError } from '../../conformance/output/read-yaml.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { type Profile, ProfileSchema } from '../model/profile.ts';
import { BUILT_IN_PROFILES } from './built-in.ts';
import { findContradiction } from './contradictions.ts';
import { describeSchemaErrors } from './describe-schema-errors.ts';

const validate = new Ajv2020({ allErrors: true, verbose: true }).compile<Profile>(ProfileSchema);

/**
 * Returns the built-in profile of that name, or the profile in that file (YAML
 * or JSON).
 *
 * @throws {UsageError} if there is neither, or the file is no profile
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
      : `${nameOrFile} is neither YAML nor JSON: ${cause.message}`;
    throw new UsageError(what, { cause });
  }
  return parseProfile(document, nameOrFile);
}

/**
 * Returns `document` as a profile; `origin` names it in errors.
 *
 * @throws {UsageError} naming the field, its value and the expectation
 */
export function parseProfile(document: unknown, origin: string): Profile {
  if (!validate(document)) {
    const errors = validate.errors ?? [];
    throw new UsageError(`${origin}: ${describeSchemaErrors(document, errors)}`);
  }
  const contradiction = findContradiction(document);
  if (contradiction !== undefined) throw new UsageError(`${origin}: ${contradiction}`);
  return document;
}
