import { dirname, join, relative } from 'node:path';
import {
  isClassDeclaration,
  isEnumDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNewExpression,
  isObjectLiteralExpression,
  isSpreadAssignment,
  isStringLiteral,
  isThrowStatement,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

/** One figure of the code. Lower is better. */
export interface Figure {
  readonly name:
    | 'lines'
    | 'cycles'
    | 'plainErrors'
    | 'longFunctions'
    | 'repeatedNames'
    | 'undocumented'
    | 'anys'
    | 'literalSpreads';
  readonly value: number;
  /** The figure in a sentence. */
  readonly text: string;
  /** The places that it counts, as `file:line` if there is a line. */
  readonly places: readonly string[];
}

const longestFunction = 60;

/** The figures of one file. */
interface Facts {
  readonly file: string;
  lines: number;
  throws: number;
  readonly imports: string[];
  readonly plainErrors: string[];
  readonly longFunctions: string[];
  readonly anys: string[];
  /** Exported declarations, and whether a doc comment is directly above. */
  readonly exports: { name: string; place: string; isDocumented: boolean }[];
}

/** Measures TypeScript files by their absolute paths. It parses them and does not check types. */
export function measure(files: readonly string[], root: string): Figure[] {
  const facts = parse(files, root).map((source) => factsOf(source, root));
  const all = <T>(of: (each: Facts) => readonly T[]) => facts.flatMap(of);
  const throws = facts.reduce((sum, each) => sum + each.throws, 0);
  const lines = facts.reduce((sum, each) => sum + each.lines, 0);
  const [plain, long, anys] = [
    all((each) => each.plainErrors),
    all((each) => each.longFunctions),
    all((each) => each.anys),
  ];
  const exported = all((each) => each.exports);
  const bare = exported.filter(({ isDocumented }) => !isDocumented);
  const cycles = findCycles(new Map(facts.map(({ file, imports }) => [file, imports])));
  const repeated = findRepeated(facts);
  const plainShare = share(plain.length, throws);
  const bareShare = share(bare.length, exported.length);
  return [
    { name: 'lines', value: lines, text: `${lines} lines in ${files.length} files`, places: [] },
    { name: 'cycles', value: cycles.length, text: `${cycles.length} import cycles, with type imports`, places: cycles },
    {
      name: 'plainErrors',
      value: plainShare,
      text: `${plainShare} % of throws are plain errors: ${plain.length} of ${throws}`,
      places: plain,
    },
    {
      name: 'longFunctions',
      value: long.length,
      text: `${long.length} functions over ${longestFunction} lines`,
      places: long,
    },
    {
      name: 'repeatedNames',
      value: repeated.length,
      text: `${repeated.length} exported names defined in more than one file`,
      places: repeated,
    },
    {
      name: 'undocumented',
      value: bareShare,
      text: `${bareShare} % of exports without a doc comment: ${bare.length} of ${exported.length}`,
      places: bare.map(({ place, name }) => `${place} ${name}`),
    },
    { name: 'anys', value: anys.length, text: `${anys.length} any`, places: anys },
  ];
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 10;
}

/** Counts the object literals that are spread into another one, which a formatter would otherwise put on lines of their own. */
export function countLiteralSpreads(files: readonly string[], root: string): Figure {
  const places = parse(files, root).flatMap((source) => {
    const found: string[] = [];
    const visit = (node: Node): void => {
      if (isSpreadAssignment(node) && isObjectLiteralExpression(node.expression))
        found.push(placeOf(source, root, node));
      node.forEachChild(visit);
    };
    source.forEachChild(visit);
    return found;
  });
  const text = `${places.length} object literals spread into another one`;
  return { name: 'literalSpreads', value: places.length, text, places };
}

/** The compiler did not parse a file. Without that file the figures would be too low. */
export class UnparsedFile extends Error {
  constructor(file: string) {
    super(`the compiler did not parse ${file}`);
  }
}

/** Parses the files with a project that exists only in memory and resolves no import and no library. */
function parse(files: readonly string[], root: string): SourceFile[] {
  const config = join(root, 'tsconfig.figures.json');
  const compilerOptions = { noLib: true, noResolve: true, types: [], noEmit: true, allowImportingTsExtensions: true };
  const text = JSON.stringify({ compilerOptions, files });
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => (path === config ? text : undefined),
      fileExists: (path) => (path === config ? true : undefined),
    },
  });
  try {
    const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program;
    return files.map((file) => {
      const source = program?.getSourceFile(file);
      if (source === undefined) throw new UnparsedFile(file);
      return source;
    });
  } finally {
    api.close();
  }
}

function placeOf(source: SourceFile, root: string, node: Node): string {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return `${relative(root, source.fileName)}:${line + 1}`;
}

function factsOf(source: SourceFile, root: string): Facts {
  const facts: Facts = {
    file: relative(root, source.fileName),
    lines: source.text.split('\n').length - 1,
    throws: 0,
    imports: [],
    plainErrors: [],
    longFunctions: [],
    anys: [],
    exports: [],
  };
  const lineOf = (offset: number) => source.getLineAndCharacterOfPosition(offset).line + 1;
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.AnyKeyword) facts.anys.push(placeOf(source, root, node));
    const target = importedPath(node);
    if (target?.startsWith('.')) facts.imports.push(join(dirname(facts.file), target));
    if (isThrowStatement(node)) {
      facts.throws += 1;
      const { expression } = node;
      if (isNewExpression(expression) && isIdentifier(expression.expression) && expression.expression.text === 'Error')
        facts.plainErrors.push(placeOf(source, root, node));
    }
    if (isFunctionLikeDeclaration(node)) {
      const length = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      if (length > longestFunction) facts.longFunctions.push(`${placeOf(source, root, node)} ${length} lines`);
    }
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  for (const statement of source.statements) {
    const isDocumented = hasDocComment(source.text, statement.pos, statement.getStart(source));
    const place = placeOf(source, root, statement);
    for (const name of exportedNames(statement)) facts.exports.push({ name, place, isDocumented });
  }
  return facts;
}

/** The path of an import or re-export, of values or types. `import()` at run time makes no cycle. */
function importedPath(node: Node): string | undefined {
  let specifier: Node | undefined;
  if (isImportDeclaration(node) || isExportDeclaration(node)) specifier = node.moduleSpecifier;
  else if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) specifier = node.argument.literal;
  return specifier !== undefined && isStringLiteral(specifier) ? specifier.text : undefined;
}

function exportedNames(statement: Node): string[] {
  const isNamed =
    isFunctionDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement) ||
    isEnumDeclaration(statement);
  if (!isNamed && !isVariableStatement(statement)) return [];
  if (!statement.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword)) return [];
  if (isNamed) return statement.name === undefined ? [] : [statement.name.text];
  return statement.declarationList.declarations.flatMap(({ name }) => (isIdentifier(name) ? [name.text] : []));
}

/** Whether a doc comment is directly above a declaration, without a blank line between them. */
function hasDocComment(text: string, from: number, start: number): boolean {
  return /\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\r?\n?[ \t]*$/.test(text.slice(from, start));
}

/** Names that several files export. A type and a value of one name in one file count once, and so do overloads. */
function findRepeated(facts: readonly Facts[]): string[] {
  const filesOf = new Map<string, Set<string>>();
  for (const { file, exports } of facts)
    for (const { name } of exports) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
  return [...filesOf]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].sort().join(', ')}`)
    .sort();
}

/** Each group of files that reach each other (a strongly connected component, by Tarjan's algorithm). */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const order = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const cycles: string[] = [];
  const visit = (file: string): { index: number; low: number; isOpen: boolean } => {
    const state = { index: order.size, low: order.size, isOpen: true };
    order.set(file, state);
    open.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      const seen = order.get(target);
      if (seen === undefined) state.low = Math.min(state.low, visit(target).low);
      else if (seen.isOpen) state.low = Math.min(state.low, seen.index);
    }
    if (state.low === state.index) {
      const group = open.splice(open.indexOf(file));
      for (const member of group) Object.assign(order.get(member) ?? {}, { isOpen: false });
      if (group.length > 1 || graph.get(file)?.includes(file)) cycles.push(group.sort().join(', '));
    }
    return state;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}
