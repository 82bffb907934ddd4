import { expect, test } from 'vitest';
import { webAssemblyFix } from './web-assembly.ts';

test('WebAssembly that cannot allocate memory -> names the option of Node; otherwise nothing', () => {
  class Memory {
    constructor() {
      throw new RangeError('WebAssembly.Memory(): could not allocate memory');
    }
  }
  expect(webAssemblyFix({ Memory })).toContain('NODE_OPTIONS=--disable-wasm-trap-handler');
  expect(webAssemblyFix()).toBeUndefined();
});
