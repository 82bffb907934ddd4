import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { restarted } from './restarted.ts';

/** Starts a server that says when a client comes. */
async function listen(port = 0) {
  const sockets = new Set<Socket>();
  const server = createServer();
  const arrived = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      sockets.add(socket.on('error', () => undefined));
      resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    hangUp();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, arrived, hangUp, stop };
}

/** A way to connect that tells when somebody was refused. */
function watchRefusals() {
  let tell = () => {};
  const refused = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const dial = (where: { host: string; port: number }) => connect(where).once('error', tell);
  return { refused, dial };
}

test('a service that stops and starts anew -> true', async () => {
  const first = await listen();
  const { refused, dial } = watchRefusals();
  const waiting = restarted(first.url, new AbortController().signal, dial);
  await first.arrived;
  await first.stop();
  await refused;
  await listen(Number(first.url.port));
  expect(await waiting).toBe(true);
});

test('an idle connection closed -> no restart; an end meanwhile -> false', async () => {
  const service = await listen();
  const ending = new AbortController();
  const waiting = restarted(service.url, ending.signal);
  await service.arrived;
  service.hangUp();
  ending.abort();
  expect(await waiting).toBe(false);
});
