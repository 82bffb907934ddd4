import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../program/program.ts';

/** Where the pages of commands are. */
const COMMAND_PAGES = new URL('../../docs/commands/', import.meta.url);

const MARKS =
  /(?<=<!-- options: written by `npm run docs:commands` -->\n)[\s\S]*?(?=<!-- \/options -->)/;

/** A command as a user spells it, without the program's name: `load export`. */
type Named = { readonly name: string; readonly command: Command };

/** Returns every command of the program, with those below it. */
export function commandsOf(parent: Command, prefix = ''): readonly Named[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return [{ name, command }, ...commandsOf(command, `${name} `)];
  });
}

/** Returns what the definition of a command says of it, as Markdown. */
function describeCommand({ name, command }: Named): string {
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map((each) => [help.argumentTerm(each), help.argumentDescription(each)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((each) => [help.optionTerm(each), help.optionDescription(each)] as const),
  ];
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return [
    '```text',
    `swapcheck ${name} ${command.usage()}`,
    '```',
    '',
    ...(rows.length === 0 ? [] : ['| option | what it does |', '| --- | --- |']),
    ...rows.map(([term, words]) => `| \`${term.replaceAll('|', '\\|')}\` | ${cell(words)} |`),
    '',
  ].join('\n');
}

/** Returns a page with what the definition says put into its marks; a new page has gaps to fill. */
function withOptions(page: string | undefined, named: Named): string {
  const blank = `# swapcheck ${named.name}\n\n${sentence(named.command.description())}\n\n## Options\n\n<!-- options: written by \`npm run docs:commands\` -->\n<!-- /options -->\n\n## Examples\n\n## Exit codes\n`;
  return (page ?? blank).replace(MARKS, () => describeCommand(named));
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function fileOf({ name }: Named): string {
  return `${name.replace(' ', '-')}.md`;
}

function readPage(named: Named): string | undefined {
  const file = new URL(fileOf(named), COMMAND_PAGES);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Returns what is wrong with the pages, each in a sentence that says how to mend it. */
export function problemsOf(program: Command): readonly string[] {
  const commands = commandsOf(program);
  const files = new Set(commands.map(fileOf));
  return [
    ...readdirSync(COMMAND_PAGES)
      .filter((file) => !files.has(file))
      .map((file) => `docs/commands/${file}: there is no such command, so delete the file`),
    ...commands.flatMap((named) => {
      const file = `docs/commands/${fileOf(named)}`;
      const page = readPage(named);
      if (page === undefined) {
        return [`${file} is missing: run \`npm run docs:commands\`, then write its examples`];
      }
      return [
        ...(page === withOptions(page, named)
          ? []
          : [`${file} is not what the command says: run \`npm run docs:commands\``]),
        ...(new RegExp(`^## Examples\\n[^#]*^swapcheck ${named.name}\\b`, 'm').test(page)
          ? []
          : [`${file}: show \`swapcheck ${named.name}\` below "Examples", in a block of sh`]),
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
