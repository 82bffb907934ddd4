import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/* Answers at once, but for one second in every five, when it answers nothing until the second is over. */
const startedAt = Date.now();

const server = createServer((_request, response) => {
  const phaseMs = (Date.now() - startedAt) % 5000;
  if (phaseMs < 1000) setTimeout(() => response.end('{}'), 1000 - phaseMs);
  else response.end('{}');
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
