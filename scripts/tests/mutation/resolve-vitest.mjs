const suite = new URL('./suite.mjs', import.meta.url).href;

/** Resolves vitest to its replacement. */
export async function resolve(specifier, context, next) {
  return specifier === 'vitest' ? { url: suite, shortCircuit: true } : next(specifier, context);
}
