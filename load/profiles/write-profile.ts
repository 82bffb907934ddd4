import { stringify } from 'yaml';
import { type Profile, ProfileSchema } from '../model/profile.ts';

/**
 * Returns a profile as YAML, with its fields in the order of the schema. {@link loadProfile} can
 * read it.
 */
export function writeProfile(profile: Profile): string {
  const fields = Object.keys(ProfileSchema.properties).flatMap((name) => {
    const value = profile[name as keyof Profile];
    return value === undefined ? [] : [[name, value]];
  });
  return stringify(Object.fromEntries(fields), { aliasDuplicateObjects: false });
}
