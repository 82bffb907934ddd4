import { connect, type Socket } from 'node:net';

/* Clients of bench:overload: many kept connections that ask for what no cache has, in a process of their own. */

/** What the clients are to do. */
export type OverloadOrder = {
  readonly port: number;
  readonly connections: number;
  /** Requests a second that they would send, were every connection free. */
  readonly rate: number;
  /** Nothing is counted before. */
  readonly rampS: number;
  readonly seconds: number;
  /** Requests in turn; `AMOUNT` in them is replaced by a number of its own. */
  readonly targets: readonly string[];
  readonly firstAmount: number;
};

/** What became of the requests. */
export type OverloadCounts = {
  readonly planned: number;
  readonly refused: number;
  /** Neither 200 nor 500, or a connection that ended. */
  readonly failed: number;
  readonly seconds: number;
};

async function run(order: OverloadOrder): Promise<OverloadCounts> {
  const { port, connections, rate, rampS, seconds, targets } = order;
  const counts = { planned: 0, refused: 0, failed: 0 };
  const free: Socket[] = [];
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => free.push(socket));
    let missing = 0;
    socket.on('data', (chunk) => {
      if (missing === 0) {
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n'));
        const status = head.slice(9, 12);
        counts[status === '200' ? 'planned' : status === '500' ? 'refused' : 'failed'] += 1;
        missing = head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
      }
      missing -= chunk.length;
      if (missing === 0) free.push(socket);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      counts.failed += 1;
    });
    return socket;
  };
  const sockets = Array.from({ length: connections }, open);
  let asked = order.firstAmount;
  let credit = 0;
  let creditedAt = performance.now();
  const send = setInterval(() => {
    const now = performance.now();
    credit += ((now - creditedAt) * rate) / 1000;
    creditedAt = now;
    // What finds no connection free is not sent at all.
    for (; credit >= 1 && free.length > 0; credit--) {
      const target = targets[asked % targets.length]?.replace('AMOUNT', String(asked++));
      free.shift()?.write(`GET ${target} HTTP/1.1\r\nHost: bench\r\n\r\n`);
    }
    if (free.length === 0) credit = 0;
  }, 1);
  const pause = (pauseS: number) => new Promise((resolve) => setTimeout(resolve, 1000 * pauseS));
  await pause(rampS);
  const before = { ...counts };
  const beganAt = performance.now();
  await pause(seconds);
  const measured = {
    planned: counts.planned - before.planned,
    refused: counts.refused - before.refused,
    failed: counts.failed,
    seconds: (performance.now() - beganAt) / 1000,
  };
  clearInterval(send);
  // They stop asking, and still wait for their answers.
  setTimeout(() => sockets.map((socket) => socket.destroy()), 600);
  return measured;
}

process.on('message', async (order: OverloadOrder) => process.send?.(await run(order)));
process.on('disconnect', () => process.exit(0));
