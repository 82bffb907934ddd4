import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  bytecodeFile,
  CompilationError,
  type CompiledContract,
  compileContracts,
  DEPLOYED_CONTRACTS,
  readSources,
  renderBytecode,
  UNOPTIMIZED,
} from './compile-contracts.ts';

let rendered: ReadonlyMap<string, string>;

beforeAll(() => {
  rendered = renderBytecode();
});

describe('fixtures/bytecode', () => {
  test.each(Object.keys(DEPLOYED_CONTRACTS))(
    '%s.json -> is what its source compiles to, to the byte',
    (name) => {
      const file = `${name}.json`;
      expect(readFileSync(bytecodeFile(file), 'utf8')).toBe(rendered.get(file));
    },
  );

  test('every contract -> fits EIP-170, calls no delegate, destroys nothing', () => {
    for (const text of rendered.values()) {
      const { deployedBytecode } = JSON.parse(text) as CompiledContract;
      expect(deployedBytecode.length / 2 - 1).toBeLessThan(24_576);
      expect(opcodesOf(deployedBytecode)).not.toContain(0xf4);
      expect(opcodesOf(deployedBytecode)).not.toContain(0xf2);
      expect(opcodesOf(deployedBytecode)).not.toContain(0xff);
    }
  });
});

describe(compileContracts, () => {
  test('a changed comment -> the same bytecode; a changed statement -> another', () => {
    const sources = readSources();
    const proxy = sources['TokenProxy.sol'] ?? '';
    const compile = (text: string) =>
      compileContracts(
        { 'TokenProxy.sol': text, 'Tokens.sol': sources['Tokens.sol'] ?? '' },
        UNOPTIMIZED,
      ).get('TokenProxy')?.bytecode;
    const original = compile(proxy);
    expect(compile(proxy.replace('@title', '@title Some other words:'))).toBe(original);
    expect(compile(proxy.replace('count > 4', 'count > 3'))).not.toBe(original);
  });

  test('a warning of the compiler -> CompilationError with its words', () => {
    const source = 'pragma solidity ^0.8.34; contract A {}';
    const compile = () => compileContracts({ 'A.sol': source });
    expect(compile).toThrow(CompilationError);
    expect(compile).toThrow(/SPDX license identifier not provided/);
  });
});

describe(readSources, () => {
  test('every external function -> carries NatSpec for readers', () => {
    for (const [name, text] of Object.entries(readSources())) {
      const lines = text.split('\n');
      if (/^(abstract )?contract /m.test(text)) {
        for (const [i, line] of lines.entries()) {
          const isExternal =
            /^ {4}(function|receive)/.test(line) &&
            /external/.test(
              lines
                .slice(i, i + 5)
                .join(' ')
                .split('{')[0] ?? '',
            );
          if (isExternal) expect(lines[i - 1], `${name}:${i + 1}`).toMatch(/^ {4}\/\/\/ @/);
        }
      }
    }
  });
});

/** The opcodes of a program, without the data of its pushes; solc puts constants after an INVALID. */
function opcodesOf(bytecode: string): Set<number> {
  const bytes = Buffer.from(bytecode.slice(2), 'hex');
  const opcodes = new Set<number>();
  for (let i = 0; i < bytes.length; i++) {
    const opcode = bytes[i] as number;
    opcodes.add(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) i += opcode - 0x5f;
  }
  return opcodes;
}
