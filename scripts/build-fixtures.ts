import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildChain } from './fixtures/build-chain.ts';
import { chain31337 } from './fixtures/chain-31337.ts';
import { chain31338 } from './fixtures/chain-31338.ts';
import { contractsFile, marketFile } from './fixtures/files.ts';

const root = dirname(createRequire(import.meta.url).resolve('#package'));
const folder = join(root, 'fixtures', 'markets');

mkdirSync(folder, { recursive: true });
for (const spec of [chain31337, chain31338]) {
  const chain = await buildChain(spec);
  await chain.node.stop();
  writeFileSync(join(folder, `${spec.chainId}.json`), marketFile(chain));
  writeFileSync(join(folder, `${spec.chainId}.contracts.json`), contractsFile(chain));
  const { tokens, pools, block } = chain.market;
  process.stdout.write(
    `chain ${spec.chainId}: ${tokens.length} tokens, ${pools.length} pools at block ${block.number}, ${block.hash}\n`,
  );
}
