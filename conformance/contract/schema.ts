/*
 * The JSON Schema builder and its types. The package has 370 modules, which take longer to load
 * than all of ours, so the build bundles the used parts into this module.
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
