import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { AnvilNotFoundError } from '../../conformance/execution/node/find-anvil.ts';
import { buildChain, contractsFile, marketFile } from '../../fixtures/chains/build-chain.ts';
import { cachedChainState } from '../../fixtures/chains/chain-state.ts';
import { chainSpecs } from '../../fixtures/chains/chains.ts';

const root = dirname(createRequire(import.meta.url).resolve('#package'));

async function writeMarkets(): Promise<void> {
  const folder = join(root, 'fixtures', 'markets');
  mkdirSync(folder, { recursive: true });
  for (const spec of chainSpecs) {
    const chain = await buildChain(spec);
    await chain.node.stop();
    writeFileSync(join(folder, `${spec.chainId}.json`), marketFile(chain));
    writeFileSync(join(folder, `${spec.chainId}.contracts.json`), contractsFile(chain));
    const { tokens, pools, block } = chain.market;
    process.stdout.write(
      `chain ${spec.chainId}: ${tokens.length} tokens, ${pools.length} pools, block ${block.number} ${block.hash}\n`,
    );
  }
}

/**
 * Writes the states of the chains. They contain contracts of other projects, so they are neither
 * committed nor packed.
 */
async function writeStates(): Promise<void> {
  const folder = join(root, 'dist', 'chains');
  mkdirSync(folder, { recursive: true });
  for (const spec of chainSpecs) {
    copyFileSync(await cachedChainState(spec), join(folder, `${spec.chainId}.json`));
  }
}

const { values } = parseArgs({ options: { states: { type: 'boolean', default: false } } });
try {
  await (values.states ? writeStates() : writeMarkets());
} catch (error) {
  // Only the embedded chains need Anvil; everything else works without it.
  if (!values.states || !(error instanceof AnvilNotFoundError)) throw error;
  process.stderr.write(`The embedded chains are omitted: ${error.message}.\n`);
}
