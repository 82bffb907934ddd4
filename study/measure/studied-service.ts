import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import {
  type OpenService,
  openService,
  type ServiceAccess,
  UnavailableError,
} from '../../conformance/discovery/open-service.ts';

/** Access to a service that is measured. */
export type StudiedAccess = Omit<ServiceAccess, 'concurrency' | 'onRateLimited' | 'chains'> & {
  /** Name in reports. */
  readonly name: string;
  /** Facts of an earlier discovery, which is then not repeated. */
  readonly facts?: Facts;
};

/** A service that is measured, and the facts of its discovery. */
export type StudiedService = Pick<OpenService, 'get' | 'redactor' | 'sent' | 'lost' | 'close'> & {
  readonly name: string;
  readonly facts: Facts;
};

/** Concurrent requests during discovery; trades are requested one at a time. */
const CONCURRENCY = 4;

/**
 * Connects to a service and discovers its market on the given chains.
 *
 * @throws {CannotStudyError} if no key is given, it does not respond, or serves none of them
 */
export async function openStudied(
  access: StudiedAccess,
  chains: readonly number[],
  signal: AbortSignal,
): Promise<StudiedService> {
  const { name } = access;
  let service: OpenService | undefined;
  try {
    service = await openService({ ...access, concurrency: CONCURRENCY }, signal);
    const facts = access.facts ?? (await discover({ get: service.get, chains }));
    if (facts.markets.size > 0) return { ...service, name, facts };
    throw new UnavailableError(`it serves none of the chains ${chains.join(', ')}`);
  } catch (error) {
    await service?.close();
    const why = service?.lost() ?? (error instanceof UnavailableError ? error.message : undefined);
    throw why === undefined ? error : new CannotStudyError(name, why);
  }
}

/** Thrown if nothing can be measured at a service. */
export class CannotStudyError extends Error {
  override readonly name = 'CannotStudyError';

  constructor(service: string, why: string) {
    super(`cannot study ${service}: ${why}`);
  }
}
