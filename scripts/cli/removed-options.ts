/**
 * What to use instead of an option that was removed, by command and option: one sentence each. An
 * entry stays for one version.
 */
const REMOVED_OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  route: {
    '--orders': 'request useRfq=true from swapcheck serve, whose test maker signs orders.',
  },
  serve: {
    '--maker': 'the test maker of the embedded chains signs orders for useRfq=true.',
  },
  study: {
    '--resume': 'run the study again.',
    '--dry-run': 'run the study; its first line shows the cost.',
    '--each-tolerance':
      'run the study with --tolerance, whose survival table shows every tolerance up to that one.',
  },
};

/**
 * Adds what to use instead to commander's error about an unknown option, if the option was removed.
 *
 * @param words - The command line, without the program.
 */
export function explainRemovedOption(
  errorText: string,
  [command = '']: readonly string[],
  removed = REMOVED_OPTIONS,
): string {
  const [, option = ''] = /^error: unknown option '(--[a-z-]+)/.exec(errorText) ?? [];
  const instead = removed[command]?.[option];
  if (instead === undefined) return errorText;
  // Commander's '(Did you mean --x?)' would contradict the sentence.
  const [first, ...rest] = errorText.split('\n').filter((line) => !line.startsWith('(Did you'));
  return [first, `This version removed it: ${instead}`, ...rest].join('\n');
}
