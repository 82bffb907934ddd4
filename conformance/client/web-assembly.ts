/** The part of WebAssembly that is used here, which the types of Node do not declare. */
type Engine = { readonly Memory: new (size: { readonly initial: number }) => unknown };

/**
 * Returns the fix if WebAssembly does not work; undefined if it does. V8 reserves gigabytes of
 * address space for each WebAssembly memory, which fails under a limit such as `ulimit -v`.
 */
export function webAssemblyFix(
  engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly,
): string | undefined {
  try {
    new engine.Memory({ initial: 1 });
    return undefined;
  } catch {
    return 'raise the limit on address space (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler';
  }
}
