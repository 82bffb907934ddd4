import { connect, type Socket } from 'node:net';

/*
 * The clients of bench:overload, in a separate process. They keep connections alive, and never
 * repeat a trade.
 */

/** Instructions for the clients. */
export type OverloadOrder = {
  readonly port: number;
  readonly connections: number;
  /** Requests per second if a connection is always free. */
  readonly rate: number;
  /** Seconds at the start during which nothing is counted. */
  readonly rampS: number;
  readonly seconds: number;
  /** Targets, used in turn. In each request, a new number replaces `AMOUNT`. */
  readonly targets: readonly string[];
  readonly firstAmount: number;
};

/** Number of requests by outcome. */
export type OverloadCounts = {
  readonly planned: number;
  readonly rejected: number;
  /** Replies with a status other than 200 or 500, and closed connections. */
  readonly failed: number;
  readonly seconds: number;
};

async function run(order: OverloadOrder): Promise<OverloadCounts> {
  const { port, connections, rate, rampS, seconds, targets } = order;
  const counts = { planned: 0, rejected: 0, failed: 0 };
  const free: Socket[] = [];
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => free.push(socket));
    let missing = 0;
    socket.on('data', (chunk) => {
      if (missing === 0) {
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n'));
        const status = head.slice(9, 12);
        counts[status === '200' ? 'planned' : status === '500' ? 'rejected' : 'failed'] += 1;
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
  let amount = order.firstAmount;
  let credit = 0;
  let creditedAt = performance.now();
  const send = setInterval(() => {
    const now = performance.now();
    credit += ((now - creditedAt) * rate) / 1000;
    creditedAt = now;
    // If no connection is free, the request is dropped.
    for (; credit >= 1 && free.length > 0; credit--) {
      const target = targets[amount % targets.length]?.replace('AMOUNT', String(amount++));
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
    rejected: counts.rejected - before.rejected,
    failed: counts.failed,
    seconds: (performance.now() - beganAt) / 1000,
  };
  clearInterval(send);
  // Leaves this much time for the last replies.
  setTimeout(() => sockets.map((socket) => socket.destroy()), 600);
  return measured;
}

process.on('message', async (order: OverloadOrder) => process.send?.(await run(order)));
process.on('disconnect', () => process.exit(0));
