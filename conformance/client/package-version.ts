import { createRequire } from 'node:module';

/** Returns the version of swapcheck. */
export function packageVersion(): string {
  const { version } = createRequire(import.meta.url)('#package') as { readonly version: string };
  return version;
}
