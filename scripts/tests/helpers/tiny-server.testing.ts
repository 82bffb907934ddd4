import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

/** A tiny server on a free port of the loopback. */
export type TinyServer = { readonly url: string; readonly close: () => Promise<void> };

/** Serves by a request handler. */
export async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TinyServer> {
  const server = createServer(handler);
  server.keepAliveTimeout = 1000;
  return listen(server, () => server.closeAllConnections());
}

/** Serves raw bytes: `talk` is called once the request's first bytes are there. */
export async function serveRaw(talk: (socket: Socket) => void): Promise<TinyServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => talk(socket));
  });
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

async function listen(server: Server, hangUp: () => void): Promise<TinyServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        hangUp();
      }),
  };
}
