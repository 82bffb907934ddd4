/** Prefix of all paths. @see Specification 0 paths and 9.1 */
export const API_PREFIX = '/api/v1.0';

/** The paths of the four operations of section 4. */
export const PATHS = {
  swap: `${API_PREFIX}/swap`,
  tokens: `${API_PREFIX}/tokens`,
  chains: `${API_PREFIX}/chains`,
  chainInfo: `${API_PREFIX}/chainInfo`,
} as const;

/** The four operations of section 4. */
export type Endpoint = keyof typeof PATHS;

export const ENDPOINTS: readonly Endpoint[] = ['swap', 'tokens', 'chains', 'chainInfo'];

/**
 * Returns the operation of a path, or undefined if it is none of the four.
 *
 * @example endpointOf('/api/v1.0/swap') // 'swap'
 */
export function endpointOf(path: string): Endpoint | undefined {
  return ENDPOINTS.find((endpoint) => PATHS[endpoint] === path);
}
