import type { Subject } from '../conformance/commands/subject.ts';

/** Starts the reference in this process, on the embedded markets, at a free port of the loopback. */
export async function startEmbeddedReference(): Promise<Subject> {
  // Loaded only now: judging another service needs nothing of the reference.
  const [{ startReference }, { DEMO_API_KEY }] = await Promise.all([
    import('../reference/server/start.ts'),
    import('../reference/server/demo-api-key.ts'),
  ]);
  const { url, close } = await startReference({ apiKeys: [DEMO_API_KEY] });
  return { url, apiKey: DEMO_API_KEY, forks: [], close };
}
