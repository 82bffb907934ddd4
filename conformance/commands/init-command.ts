import { Command, Option } from 'commander';

/** What a user's project is checked by. */
export type CiSystem = 'github' | 'gitlab' | 'none';

export type InitFlags = { readonly ci: CiSystem; readonly force?: boolean };

/** Returns `swapcheck init`, which writes what a project needs to be judged in continuous integration. */
export function createInitCommand(version: string): Command {
  return new Command('init')
    .argument('[BASE_URL]', 'root of the service, such as https://api.example.org')
    .addOption(
      new Option('--ci <system>', 'what runs the job')
        .choices(['github', 'gitlab', 'none'])
        .default('github'),
    )
    .option('--force', 'write over files that are there')
    .action(async (baseUrl: string | undefined, flags: InitFlags) => {
      const { initProject } = await import('./init-project.ts');
      process.stdout.write(initProject(process.cwd(), baseUrl, { ...flags, version }));
    });
}
