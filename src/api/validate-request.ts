import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { instantPattern, instantRequirement } from '../kernel/clock.ts';
import { percentDecode } from '../kernel/percent-decode.ts';
import type { Issue, IssueCode } from '../kernel/refusal.ts';

// All issues of a request are reported at once. The bound keeps the list of a hostile body short.
const maxIssues = 64;
Settings.Set({ maxErrors: maxIssues });

type IssueLocation = Issue['in'];

/** Checks one part of a request against its schema, and returns all issues. Issues never contain values. */
export type PartCheck = (value: unknown) => Issue[];

/** Compiles the check of one part; called once for each operation, at start. */
export function compilePartCheck(place: IssueLocation, schema: TObject): PartCheck {
  const validator = Compile(schema);
  const knownNames = new Set(Object.keys(schema.properties));
  const isClosed = memberOf(schema, 'additionalProperties') === false;
  const toIssue = ({ pointer, code, detail }: MemberIssue): Issue => {
    return { in: place, ...pathOf(place, pointer), code, detail };
  };
  return (value) => {
    if (validator.Check(value)) return hasInvalidText(value) ? invalidTextIssues(value).map(toIssue) : [];
    // Unknown names are reported first. Among other issues they could fall beyond the bound.
    const { part, unknown } = isClosed ? splitKnownMembers(value, knownNames) : { part: value, unknown: [] };
    const found = new Map<string, MemberIssue>();
    for (const name of unknown.slice(0, maxIssues)) addFirst(found, unknownMember('', name, [...knownNames]));
    for (const fault of validator.Errors(part)[1]) {
      // The issue of a whole value adds nothing to an issue of one of its members.
      if (fault.keyword === 'anyOf' && [...found.keys()].some((one) => one.startsWith(`${fault.instancePath}/`)))
        continue;
      for (const issue of memberIssues(fault, schema, place === 'query' ? value : undefined)) addFirst(found, issue);
    }
    for (const issue of invalidTextIssues(part)) addFirst(found, issue);
    if (found.size === 0) return [{ in: place, code: 'not-valid', detail: 'does not match the schema' }];
    return [...found.values()].map(toIssue);
  };
}

type MemberIssue = { readonly pointer: string; readonly code: IssueCode; readonly detail: string };

/** Adds an issue, unless its member has one already. */
function addFirst(found: Map<string, MemberIssue>, issue: MemberIssue): void {
  if (!found.has(issue.pointer)) found.set(issue.pointer, issue);
}

type SchemaFault = ReturnType<ReturnType<typeof Compile>['Errors']>[1][number];

/** The issues of one fault. `query` has the parameters, if the fault is in the query. */
function memberIssues(fault: SchemaFault, schema: TSchema, query: unknown): readonly MemberIssue[] {
  const pointer = fault.instancePath;
  switch (fault.keyword) {
    case 'required':
      return fault.params.requiredProperties.map((name) => {
        return { pointer: `${pointer}/${name}`, code: 'required', detail: 'required' };
      });
    case 'additionalProperties': {
      const known = Object.keys(memberOf(schemaAt(schema, pointer), 'properties') ?? {});
      return fault.params.additionalProperties.map((name) => unknownMember(pointer, name, known));
    }
    case 'anyOf':
      return [{ pointer, code: 'not-allowed', detail: allowedDetail(schemaAt(schema, pointer)) }];
    case 'boolean':
    case 'const':
      // The issue of `anyOf` or `additionalProperties` says more.
      return [];
    default:
      // The value of a nullable member need not be null.
      if (fault.keyword === 'type' && fault.params.type === 'null') return [];
      return [{ pointer, code: codeOf(fault.keyword), detail: detailOf(fault, schema, query) }];
  }
}

function unknownMember(parent: string, name: string, known: readonly string[]): MemberIssue {
  return { pointer: `${parent}/${safeName(name)}`, code: 'unknown-input', detail: unknownDetail(name, known) };
}

function splitKnownMembers(value: unknown, known: ReadonlySet<string>): { part: unknown; unknown: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { part: value, unknown: [] };
  const members = Object.entries(value);
  const part = Object.fromEntries(members.filter(([name]) => known.has(name)));
  return { part, unknown: members.flatMap(([name]) => (known.has(name) ? [] : [name])) };
}

/** The requirement that a value does not meet. `query` has the parameters if the value is one of them. */
function detailOf(fault: SchemaFault, schema: TSchema, query: unknown): string {
  const expected = isInstant(fault) ? instantRequirement : fault.message;
  const hasPlusHint = isInstant(fault) && hasLostPlus(memberOf(query, fault.instancePath.slice(1)));
  return `${expected}${hasPlusHint ? plusHint : ''}${meaningOf(fault, schema)}`;
}

function isInstant({ keyword, params }: SchemaFault): boolean {
  if (keyword === 'pattern') return 'pattern' in params && String(params.pattern) === instantPattern;
  return keyword === 'format' && 'format' in params && params.format === 'date-time';
}

/** As in a form, a + in a query means a space. */
const plusHint = '; a + in a query means a space: write it as %2B';

function hasLostPlus(value: unknown): boolean {
  return typeof value === 'string' && / \d{2}:?\d{2}$/.test(value);
}

/** Explains the fault of a pattern, because a pattern alone does not say what is meant. */
function meaningOf(fault: SchemaFault, schema: TSchema): string {
  const description = fault.keyword === 'pattern' && memberOf(schemaAt(schema, fault.instancePath), 'description');
  return typeof description === 'string' ? `. ${description}` : '';
}

function pathOf(place: IssueLocation, pointer: string): Pick<Issue, 'pointer' | 'name'> {
  return place === 'body' ? { pointer } : { name: pointer.slice(1) };
}

function codeOf(keyword: string): IssueCode {
  switch (keyword) {
    case 'type':
      return 'wrong-type';
    case 'minLength':
    case 'minItems':
      return 'too-short';
    case 'maxLength':
    case 'maxItems':
      return 'too-long';
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return 'out-of-range';
    case 'pattern':
    case 'format':
      return 'malformed';
    case 'enum':
      return 'not-allowed';
    default:
      return 'not-valid';
  }
}

function schemaAt(schema: TSchema, pointer: string): TSchema | undefined {
  let here: unknown = schema;
  for (const name of pointer.split('/').slice(1)) {
    const members = memberOf(here, 'properties');
    here = withoutNull(members === undefined ? memberOf(here, 'items') : memberOf(members, name));
  }
  return typeof here === 'object' && here !== null ? here : undefined;
}

/** The schema of the values of a nullable member that are not null. Other schemas are returned unchanged. */
function withoutNull(schema: unknown): unknown {
  const options = memberOf(schema, 'anyOf');
  if (!Array.isArray(options)) return schema;
  const others = options.filter((option) => memberOf(option, 'type') !== 'null');
  return others.length === 1 ? others[0] : schema;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // Every object can be read by member name; the value stays unknown.
  return (value as Record<string, unknown>)[name];
}

function allowedDetail(schema: TSchema | undefined): string {
  if (schema === undefined || !('anyOf' in schema) || !Array.isArray(schema.anyOf))
    return 'not one of the allowed values';
  const values = schema.anyOf.flatMap((option: unknown) =>
    typeof option === 'object' && option !== null && 'const' in option ? [String(option.const)] : [],
  );
  return values.length > 0 ? `must be one of ${values.join(', ')}` : 'does not match any of the allowed schemas';
}

/** A response contains a name from the client only if it is short and plain, because it could be personal data. */
export function safeName(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_-]{0,39}$/.test(name) ? name : '…';
}

function unknownDetail(name: string, known: readonly string[]): string {
  const similar = known.find((candidate) => isSimilarName(name, candidate));
  if (similar !== undefined) return `unknown; did you mean '${similar}'?`;
  return known.length === 0 ? 'unknown; no names are allowed here' : `unknown; allowed names: ${known.join(', ')}`;
}

/** Whether the names differ by at most one insertion, deletion, substitution or swap, apart from letter case and separators. */
export function isSimilarName(name: string, candidate: string): boolean {
  const left = name.toLowerCase().replaceAll(/[-_]/g, '').slice(0, 64);
  const right = candidate.toLowerCase().replaceAll(/[-_]/g, '');
  if (left === right) return true;
  if (Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const restLeft = left.slice(start, left.length - end);
  const restRight = right.slice(start, right.length - end);
  if (restLeft.length <= 1 && restRight.length <= 1) return true;
  return restLeft.length === 2 && restLeft === [...restRight].reverse().join('');
}

/** Whether a value contains text that the databases change. Without recursion, because of deeply nested bodies. */
function hasInvalidText(value: unknown): boolean {
  const left = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string' && (next.includes('\0') || !next.isWellFormed())) return true;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) left.push(member);
  }
  return false;
}

function invalidTextIssues(value: unknown): MemberIssue[] {
  const detail = 'must not contain NUL or a lone surrogate';
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return members
    .filter(([, member]) => hasInvalidText(member))
    .map(([name]) => ({ pointer: `/${name}`, code: 'malformed', detail }));
}

/** Parses a query string, in which each name may occur once. It converts integers and booleans by the schema. */
export function parseQuery(
  text: string,
  schema: TObject | undefined,
): { values: Record<string, unknown>; issues: Issue[] } {
  // A Map, because an object has inherited names.
  const values = new Map<string, unknown>();
  const repeated = new Set<string>();
  const issues: Issue[] = [];
  for (const pair of text === '' ? [] : text.split('&')) {
    if (pair === '') continue;
    const split = pair.indexOf('=');
    const name = decode(split < 0 ? pair : pair.slice(0, split));
    const value = decode(split < 0 ? '' : pair.slice(split + 1));
    if (name === undefined || value === undefined) {
      const detail = 'must be percent-encoded UTF-8';
      issues.push({ in: 'query', name: name === undefined ? '…' : safeName(name), code: 'malformed', detail });
    } else if (!values.has(name)) {
      values.set(name, coerceValue(value, schema?.properties[name]));
    } else if (!repeated.has(name)) {
      repeated.add(name);
      issues.push({ in: 'query', name: safeName(name), code: 'repeated', detail: 'must occur once' });
    }
  }
  return { values: Object.fromEntries(values), issues };
}

function decode(text: string): string | undefined {
  return percentDecode(text.replaceAll('+', ' '));
}

function coerceValue(value: string, schema: TSchema | undefined): unknown {
  if (schema === undefined || !('type' in schema)) return value;
  if (schema.type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (schema.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
