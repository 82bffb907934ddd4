import { InvalidArgumentError, Option } from 'commander';
import type { Document } from './document.ts';
import { oneOrMore } from './option-values.ts';
import type { TextStyle } from './text.ts';

/** Renders a report in the given style. */
export type ReportWriter<Subject> = (subject: Subject, style?: TextStyle) => string;

/** Formats by name, including text. Writers are loaded on demand. */
export type ReportFormats<Subject> = Readonly<
  Record<
    string,
    {
      /** Default path of the report. */
      readonly path: string;
      readonly load: () => Promise<{ readonly write: ReportWriter<Subject> }>;
    }
  >
>;

/** One report to write; the path `-` is standard output. */
export type ReportRequest<Subject> = ReportFormats<Subject>[string] & { readonly format: string };

/**
 * Returns the formats that every command offers: text, JSON and Markdown.
 *
 * @param stem - The path of the report files, without an extension.
 * @param json - Returns the value to write as JSON. Default: the subject itself.
 */
export function commonFormats<Subject>(
  stem: string,
  loadDocument: () => Promise<(subject: Subject) => Document>,
  json: (subject: Subject) => unknown = (subject) => subject,
) {
  const format = (path: string, load: () => Promise<ReportWriter<Subject>>) => ({
    path,
    load: async () => ({ write: await load() }),
  });
  return {
    text: format('-', async () => {
      const [documentOf, { renderText }] = await Promise.all([loadDocument(), import('./text.ts')]);
      return (subject, style) => renderText(documentOf(subject), style);
    }),
    json: format(`${stem}.json`, async () => (subject) => {
      return `${renderJson(json(subject))}\n`;
    }),
    markdown: format(`${stem}.md`, async () => {
      const { renderMarkdown } = await import('./markdown.ts');
      const documentOf = await loadDocument();
      return (subject) => renderMarkdown(documentOf(subject));
    }),
  };
}

/**
 * Returns a value as indented JSON. Also escapes the control characters that JSON permits
 * unescaped, and the start of `##[`, which is a command to a CI system anywhere in a line of its
 * log.
 */
export function renderJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u009f]|#(?=#(?:\[|vso\[|teamcity\[))/gi,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * Returns the option `--report` for these formats. Text is written to standard output, unless
 * another report is. A report in a file does not replace it.
 */
export function reportOption<Subject>(formats: ReportFormats<Subject>): Option {
  const shown = parseReport('text', formats);
  const unset = [shown];
  return new Option('--report <format[=path]>', `write a report, repeatable: ${namesOf(formats)}`)
    .default(unset, 'text')
    .argParser<ReportRequest<Subject>[]>(
      Object.assign(
        (text: string, earlier: readonly ReportRequest<Subject>[] = unset) => {
          const request = parseReport(text, formats);
          const others = request.path === '-' ? earlier.filter((each) => each !== shown) : earlier;
          return [...others, request];
        },
        {
          schema: oneOrMore({
            type: 'string',
            pattern: `^(${Object.keys(formats).join('|')})(=.+)?$`,
          }),
        },
      ),
    );
}

/**
 * Parses `--report FORMAT[=PATH]`.
 *
 * @throws {InvalidArgumentError} for an unknown format or an empty path.
 * @example
 * parseReport('json', REPORT_FORMATS) // { format: 'json', path: 'reports/swapcheck.json', load }
 */
export function parseReport<Subject>(
  text: string,
  formats: ReportFormats<Subject>,
): ReportRequest<Subject> {
  const [name = '', ...rest] = text.split('=');
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) {
    throw new InvalidArgumentError(`There is no format "${name}": expected ${namesOf(formats)}.`);
  }
  const path = rest.length === 0 ? format.path : rest.join('=');
  if (path === '') {
    throw new InvalidArgumentError('Expected a path after "=", or "-" for standard output.');
  }
  return { ...format, format: name, path };
}

function namesOf(formats: ReportFormats<never>): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(formats));
}
