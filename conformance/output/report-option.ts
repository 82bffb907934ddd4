/** Formats of a report on some subject, by name: each with its writer and the path it takes when none is named. */
export type ReportFormats<Subject, Format extends string = string> = Readonly<
  Record<
    Format,
    {
      readonly write: (subject: Subject, colour?: boolean) => string;
      readonly defaultPath: string;
    }
  >
>;

/** One report to write; the path `-` is standard output. */
export type ReportOption<Format extends string = string> = {
  readonly format: Format;
  readonly path: string;
};

/**
 * Returns what `--report FORMAT[=PATH]` asks for.
 *
 * @throws ReportOptionError for an unknown format or an empty path.
 * @example parseReportOption('json', REPORT_FORMATS) // { format: 'json', path: 'reports/swapcheck.json' }
 */
export function parseReportOption<Format extends string>(
  text: string,
  formats: ReportFormats<never, Format>,
): ReportOption<Format> {
  const [format = '', ...rest] = text.split('=');
  const isFormat = (name: string): name is Format => Object.hasOwn(formats, name);
  if (!isFormat(format)) {
    const known = Object.keys(formats).join(', ');
    throw new ReportOptionError(
      `--report ${text}: there is no format "${format}"; it is one of ${known}`,
    );
  }
  if (rest.length === 0) return { format, path: formats[format].defaultPath };
  const path = rest.join('=');
  if (path === '') {
    throw new ReportOptionError(
      `--report ${text}: a path is missing after "="; "-" is standard output`,
    );
  }
  return { format, path };
}

/** A `--report` that cannot be understood. */
export class ReportOptionError extends Error {
  override readonly name = 'ReportOptionError';
}
