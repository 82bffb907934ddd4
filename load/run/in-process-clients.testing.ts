import { playOrder, type StartClients } from './client.ts';

/** Starts clients in this process: a test that asks nothing of their latency need not wait for processes. */
export const startClientsHere: StartClients = (orders, onReport) => {
  const controller = new AbortController();
  const results = orders.map((order) =>
    playOrder(order, onReport, () => Promise.resolve(), controller.signal),
  );
  return { results: Promise.all(results), stop: () => controller.abort() };
};
