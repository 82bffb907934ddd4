import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/* A bare node:http server with a reply as large as a plan, for the bench of load. */
const body = JSON.stringify({ plan: 'x'.repeat(3400) });
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
