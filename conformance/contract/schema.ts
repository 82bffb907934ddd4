/*
 * What makes JSON Schemas, with the types of what they accept. The package is 370
 * modules, which take longer to load than all of ours: the build puts what is
 * used of them into this one.
 */
// biome-ignore lint/performance/noBarrelFile: it is where the package comes in
export {
  type Static,
  type TLiteral,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
  Type,
} from 'typebox';
