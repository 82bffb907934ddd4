import { measureGas } from '../../reference/contracts/gas-table.testing.ts';
import { GRAPH_ROUTERS } from '../../reference/contracts/settlement.testing.ts';
import { startTestChain } from '../../reference/contracts/test-chain.testing.ts';
import { printHead, printRow } from './kit.ts';

async function printGasTable(): Promise<void> {
  const chain = await startTestChain();
  try {
    printHead(['plan', ...GRAPH_ROUTERS, 'universal-router', 'saved']);
    for (const row of await measureGas(chain, 40)) {
      const { own, universalRouter, isSplit } = row;
      const saved = 100 - Number(((own[0] ?? 0n) * 1000n) / universalRouter) / 10;
      const plan = `${isSplit ? 'split ' : ''}${row.plan}`;
      printRow([plan, ...own, universalRouter, `${saved.toFixed(1)} %`]);
    }
  } finally {
    await chain.node.stop();
  }
}

await printGasTable();
