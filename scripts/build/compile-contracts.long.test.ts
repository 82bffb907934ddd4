import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEPLOYED_CONTRACTS } from '../../fixtures/chains/artifacts.ts';
import {
  bytecodeFile,
  CompilationError,
  type CompiledContract,
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from './compile-contracts.ts';

const names = Object.keys(DEPLOYED_CONTRACTS).map((name) => `${name}.json`);
const read = (name: string) => readFileSync(bytecodeFile(name), 'utf8');

describe('fixtures/bytecode', () => {
  test('every contract -> within the EIP-170 size limit, with neither delegated calls nor self-destruction', () => {
    for (const name of names) {
      const { deployedBytecode } = JSON.parse(read(name)) as CompiledContract;
      expect(deployedBytecode.length / 2 - 1).toBeLessThan(24_576);
      expect(opcodesOf(deployedBytecode)).not.toContain(0xf4);
      expect(opcodesOf(deployedBytecode)).not.toContain(0xf2);
      expect(opcodesOf(deployedBytecode)).not.toContain(0xff);
    }
  });
});

describe(compileContracts, () => {
  test('a changed comment -> the same bytecode; a changed statement -> different bytecode', () => {
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

  test('a warning of the compiler -> CompilationError with its text', () => {
    const source = 'pragma solidity ^0.8.34; contract A {}';
    const compile = () => compileContracts({ 'A.sol': source });
    expect(compile).toThrow(CompilationError);
    expect(compile).toThrow(/SPDX license identifier not provided/);
  });
});

describe(readSources, () => {
  test('every external function -> has NatSpec', () => {
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

/**
 * Returns the opcodes in the bytecode. Skips push data, but includes constants, which solc puts
 * after an INVALID.
 */
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
