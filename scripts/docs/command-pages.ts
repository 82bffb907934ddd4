import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../cli/program.ts';

const COMMAND_PAGES = new URL('../../docs/commands/', import.meta.url);

const OPTIONS_PART =
  /(?<=<!-- options: written by `npm run docs:commands` -->\n)[\s\S]*?(?=<!-- \/options -->)/;

type Named = { readonly name: string; readonly command: Command };

/** Returns every command of the program, including subcommands. */
export function commandsOf(parent: Command, prefix = ''): readonly Named[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return [{ name, command }, ...commandsOf(command, `${name} `)];
  });
}

const COLUMNS = 100;

function describeCommand({ command }: Named): string {
  command.configureOutput({ getOutHelpWidth: () => COLUMNS });
  return `\`\`\`text\n${command.helpInformation()}\`\`\`\n`;
}

function withOptions(page: string | undefined, named: Named): string {
  const blank = `# swapcheck ${named.name}\n\n${sentence(named.command.description())}\n\n## Options\n\n<!-- options: written by \`npm run docs:commands\` -->\n<!-- /options -->\n\n## Examples\n\n## Exit codes\n`;
  return (page ?? blank).replace(OPTIONS_PART, () => describeCommand(named));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function fileOf({ name }: Named): string {
  return `${name.replace(' ', '-')}.md`;
}

function readPage(named: Named): string | undefined {
  const file = new URL(fileOf(named), COMMAND_PAGES);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Returns the problems of the pages, each with its fix. */
export function problemsOf(program: Command): readonly string[] {
  const commands = commandsOf(program);
  const files = new Set(commands.map(fileOf));
  return [
    ...readdirSync(COMMAND_PAGES)
      .filter((file) => !files.has(file))
      .map((file) => `docs/commands/${file}: no such command, delete the file`),
    ...commands.flatMap((named) => {
      const file = `docs/commands/${fileOf(named)}`;
      const page = readPage(named);
      if (page === undefined) {
        return [`${file} is missing: run \`npm run docs:commands\`, then write its examples`];
      }
      return [
        ...(page === withOptions(page, named)
          ? []
          : [`${file} is out of date: run \`npm run docs:commands\``]),
        ...(new RegExp(`^## Examples\\n[^#]*^swapcheck ${named.name}\\b`, 'm').test(page)
          ? []
          : [`${file}: show \`swapcheck ${named.name}\` in an \`sh\` block below "Examples"`]),
        ...(/^## Exit codes\n\n\S/m.test(page) ? [] : [`${file}: write its "Exit codes"`]),
      ];
    }),
  ];
}

if (import.meta.filename === process.argv[1]) {
  mkdirSync(COMMAND_PAGES, { recursive: true });
  for (const named of commandsOf(await createProgram())) {
    writeFileSync(new URL(fileOf(named), COMMAND_PAGES), withOptions(readPage(named), named));
  }
}
