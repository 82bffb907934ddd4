import { measureGas } from '../../reference/contracts/gas-table.testing.ts';
import { startTestChain } from '../../reference/contracts/test-chain.testing.ts';

/** Prints the gas of every plan on our routers and on the Universal Router. */
async function printGasTable(): Promise<void> {
  const chain = await startTestChain();
  try {
    process.stdout.write('default  service  universal  saved  plan\n');
    for (const row of await measureGas(chain, 40)) {
      const saved = 100 - Number((row.defaultRouter * 1000n) / row.universalRouter) / 10;
      const cells = [
        String(row.defaultRouter).padStart(7),
        String(row.serviceRouter).padStart(7),
        String(row.universalRouter).padStart(9),
        `${saved.toFixed(1)}%`.padStart(5),
        row.isSplit ? 'split ' : '      ',
      ];
      process.stdout.write(`${cells.join('  ')}${row.plan}\n`);
    }
  } finally {
    await chain.node.stop();
  }
}

await printGasTable();
