import { NO_API_KEY } from '../../conformance/client/api-key.ts';
import type { Access } from '../../conformance/client/client.ts';
import type { Redactor } from '../../conformance/client/redaction.ts';
import { type Limits, RunStopped } from '../../conformance/client/scheduler.ts';
import { discover } from '../../conformance/discovery/discover.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import {
  type OpenService,
  openService,
  UnusableService,
} from '../../conformance/discovery/open-service.ts';
import { readAddress } from '../../conformance/execution/settle/read-swap-plan.ts';
import type { Address } from '../../conformance/model/trade-request.ts';
import { STUDY_ACCOUNTS } from './study-accounts.ts';

/** Access to a service that is measured. */
export type StudiedAccess = Omit<Access, 'connections' | 'chains'> &
  Pick<Limits, 'rate'> & {
    readonly url: URL;
    readonly apiKey: string;
    /** Name in reports. */
    readonly name: string;
    /** Account that requests calldata and trades. Default: one of swapcheck's. */
    readonly user?: string | undefined;
    /** Facts of an earlier discovery. If set, discovery is not repeated. */
    readonly facts?: Facts;
  };

/** A service that is measured, and the facts of its discovery. */
export type StudiedService = Pick<OpenService, 'get' | 'close'> & {
  /** Removes secrets from displayed text. */
  readonly redactor: Redactor;
  /** Returns the number of requests so far. */
  readonly sent: () => number;
  /** Reason why requests to the service ended; undefined while they continue. */
  readonly lost: () => string | undefined;
  readonly name: string;
  /** Account that requests calldata and trades. */
  readonly user: Address;
  readonly facts: Facts;
};

/** Concurrent requests during discovery. Trades are requested one at a time. */
const CONCURRENCY = 4;

/**
 * Connects to a service and discovers its market on the given chains.
 * @throws {CannotStudyError} if no key is given, the service does not respond, or it serves none of the chains
 */
export async function openStudied(
  access: StudiedAccess,
  chains: readonly number[],
  signal: AbortSignal,
): Promise<StudiedService> {
  const { name } = access;
  const user = readAddress(access.user) ?? STUDY_ACCOUNTS.user;
  if (access.apiKey === '') throw new CannotStudyError(name, NO_API_KEY);
  const service = openService({ ...access, concurrency: CONCURRENCY, signal });
  let lost: string | undefined;
  const get: OpenService['get'] = async (target) => {
    try {
      return await service.get(target);
    } catch (error) {
      if (error instanceof RunStopped && !signal.aborted) lost ??= error.message;
      throw error;
    }
  };
  try {
    await service.requestChains();
    const facts = access.facts ?? (await discover({ get, chains, user: access.user }));
    if (facts.markets.size > 0) {
      const { close, scheduler, client } = service;
      const { redactor } = client;
      return {
        name,
        user,
        facts,
        get,
        close,
        redactor,
        sent: () => scheduler.sent,
        lost: () => lost,
      };
    }
    throw new UnusableService(`it serves none of the chains ${chains.join(', ')}`);
  } catch (error) {
    await service.close();
    const isUnusable = error instanceof UnusableService || error instanceof RunStopped;
    throw isUnusable && !signal.aborted ? new CannotStudyError(name, error.message) : error;
  }
}

/** Thrown if nothing can be measured on a service. */
export class CannotStudyError extends Error {
  override readonly name = 'CannotStudyError';

  constructor(service: string, why: string) {
    super(`cannot study ${service}: ${why}`);
  }
}
