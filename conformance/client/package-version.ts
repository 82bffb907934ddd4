import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('#package') as { readonly version: string };

/** Version of swapcheck. */
export const PACKAGE_VERSION: string = version;
