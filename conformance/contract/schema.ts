/*
 * The JSON Schema builder and its types. The package's 370 modules would take longer to load than
 * all of ours. So the build bundles the parts that we use into this module.
 */
// biome-ignore lint/performance/noBarrelFile: the only module that imports the package
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
