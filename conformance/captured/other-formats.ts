type Fields = Readonly<Record<string, unknown>>;

type OtherFormat = { readonly name: string; readonly matches: (document: Fields) => boolean };

const FORMATS: readonly OtherFormat[] = [
  {
    name: 'a Postman collection',
    matches: ({ info, item }) => Array.isArray(item) && fieldsOf(info) !== undefined,
  },
  {
    name: 'a file of WireMock stubs',
    matches: ({ mappings, ...whole }) =>
      (Array.isArray(mappings) ? mappings : [whole]).some(isStub),
  },
  {
    name: 'an OpenAPI document, which contains no replies',
    matches: ({ openapi, swagger, paths }) =>
      (openapi ?? swagger) !== undefined && fieldsOf(paths) !== undefined,
  },
];

/**
 * Names the recording format of another program and explains how to convert it. Returns undefined
 * for any other document.
 *
 * @example otherFormat([{ scope: 'http://a:80', path: '/', response: {} }]) // 'is a nock
 * recording: convert it to lines of {url, status, headers, body} in a .ndjson file, …'
 */
export function otherFormat(document: unknown): string | undefined {
  const name = Array.isArray(document)
    ? document.some(isNockCall) && 'a nock recording'
    : FORMATS.find(({ matches }) => matches(fieldsOf(document) ?? {}))?.name;
  if (!name) return undefined;
  return name.includes(',') ? `is ${name}` : `is ${name}: ${TO_CONVERT}`;
}

const TO_CONVERT =
  'convert it to lines of {url, status, headers, body} in a .ndjson file, as docs/captures.md shows';

function isStub(value: unknown): boolean {
  const { request, response } = fieldsOf(value) ?? {};
  const { url, urlPath, urlPattern, urlPathPattern } = fieldsOf(request) ?? {};
  const place = url ?? urlPath ?? urlPattern ?? urlPathPattern;
  return place !== undefined && fieldsOf(response) !== undefined;
}

function isNockCall(value: unknown): boolean {
  const { scope, path, response } = fieldsOf(value) ?? {};
  return typeof scope === 'string' && typeof path === 'string' && response !== undefined;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
