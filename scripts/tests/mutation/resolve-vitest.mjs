const suite = new URL('./suite.mjs', import.meta.url).href;

/** Lets tests find the stand-in under the name of vitest. */
export async function resolve(specifier, context, next) {
  return specifier === 'vitest' ? { url: suite, shortCircuit: true } : next(specifier, context);
}
