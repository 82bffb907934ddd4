import { type AddressInfo, createServer, type Socket } from 'node:net';

/*
 * Answers at once, but for one second in every five, when it answers nothing
 * until the second is over. Bare TCP, so that its own cost is small beside its stall.
 */
const startedAt = Date.now();
const reply = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
let stalled: Socket[] = [];

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', () => {
    const phaseMs = (Date.now() - startedAt) % 5000;
    if (phaseMs >= 1000) socket.write(reply);
    else if (stalled.push(socket) === 1) setTimeout(release, 1000 - phaseMs);
  });
});

function release(): void {
  for (const socket of stalled) socket.write(reply);
  stalled = [];
}

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
);
