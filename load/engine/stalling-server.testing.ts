import { type AddressInfo, createServer, type Socket } from 'node:net';

/*
 * Server that replies immediately, except during one second in every five: requests in that second
 * wait until the second is over. The server uses bare TCP, so that its own cost is small compared
 * with a stall. Releasing all held requests takes time, especially on a slow machine, so the server
 * reports how long it held each request.
 */
const startedMs = performance.now();
const reply = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
const heldMs: number[] = [];
let stalled: { readonly socket: Socket; readonly sinceMs: number }[] = [];

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', () => {
    const sinceMs = performance.now();
    const phaseMs = (sinceMs - startedMs) % 5000;
    if (phaseMs >= 1000) answer(socket, sinceMs);
    else if (stalled.push({ socket, sinceMs }) === 1) setTimeout(release, 1000 - phaseMs);
  });
});

function release(): void {
  for (const { socket, sinceMs } of stalled) answer(socket, sinceMs);
  stalled = [];
}

function answer(socket: Socket, sinceMs: number): void {
  heldMs.push(performance.now() - sinceMs);
  socket.write(reply);
}

process.on('message', () => process.send?.(heldMs));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
);
