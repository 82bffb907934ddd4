import type { LoadDeps, LoadSettings, ServiceLoad } from '../play/service-load.ts';

/** A service that was started to be loaded. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  readonly close: () => Promise<void>;
};

/** What the load commands are given by the program they are part of. */
export type SubjectDeps = LoadDeps & {
  /** Starts the service that is loaded when no URL is given, in a process of its own. */
  readonly startSubject: () => Promise<Subject>;
};

/** What `swapcheck load` is given beside. */
export type LoadCommandDeps = SubjectDeps & {
  /** The rules, for threads that judge every reply. */
  readonly judgeInThreads: NonNullable<ServiceLoad['judgeInThreads']>;
};

/** Returns the service that is loaded: the one named, or one that is started here and lets in its own key alone. */
export async function openSubject(
  url: URL | undefined,
  { apiKey }: LoadSettings,
  { startSubject }: SubjectDeps,
): Promise<
  Pick<ServiceLoad, 'baseUrl' | 'apiKey' | 'kind'> & { readonly close: () => Promise<void> }
> {
  if (url !== undefined) return { baseUrl: url, apiKey, kind: 'other', close: async () => {} };
  const subject = await startSubject();
  return { ...subject, baseUrl: new URL(subject.url), kind: 'child' };
}
