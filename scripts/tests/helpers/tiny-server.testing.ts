import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

/** A minimal server on a free loopback port. */
export type TinyServer = { readonly url: string; readonly close: () => Promise<void> };

/** Starts an HTTP server with a request handler. */
export async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TinyServer> {
  const server = createServer(handler);
  server.keepAliveTimeout = 1000;
  return listen(server, () => server.closeAllConnections());
}

/** Starts a TCP server: `respond` is called when the first bytes of a request have arrived. */
export async function serveRaw(respond: (socket: Socket) => void): Promise<TinyServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => respond(socket));
  });
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

async function listen(server: Server, closeConnections: () => void): Promise<TinyServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        closeConnections();
      }),
  };
}
