import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';

/**
 * What a type of the SDK permits, without its names. A type that permits anything is `any`; an object that permits any member is `open`.
 * Optional members count as absent or of their type: `undefined` is no value of JSON.
 */
export type Wire =
  | { readonly kind: 'any' | 'string' | 'number' | 'boolean' | 'null' }
  | { readonly kind: 'literal'; readonly value: string | boolean }
  | { readonly kind: 'list'; readonly item: Wire }
  | { readonly kind: 'union'; readonly options: readonly Wire[] }
  | WireObject;

export interface WireObject {
  readonly kind: 'object';
  readonly open: boolean;
  readonly members: ReadonlyMap<string, { readonly optional: boolean; readonly wire: Wire }>;
}

/** The declaration files of the official SDK: of the installed version, or of another one whose folder SDK_FOLDER names. */
export class SdkTypes {
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;
  private readonly files: readonly string[];

  /** @param files paths of declaration files below the folder of the SDK */
  constructor(files: readonly string[]) {
    const folder = process.env['SDK_FOLDER'] ?? path.dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk'));
    this.files = files.map((file) => path.join(folder, file));
    this.program = ts.createProgram(this.files, {
      ...{ noEmit: true, skipLibCheck: true, strict: true, types: [], lib: ['lib.es2022.d.ts'] },
      ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    });
    this.checker = this.program.getTypeChecker();
  }

  /** The type that one of the files exports as `name`. */
  wire(name: string): Wire {
    for (const file of this.files) {
      const source = this.program.getSourceFile(file);
      const module = source && this.checker.getSymbolAtLocation(source);
      const found = module && this.checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
      if (found) return this.wireOf(this.checker.getDeclaredTypeOfSymbol(found), []);
    }
    throw new Error(`${this.files.join(', ')} export no type ${name}`);
  }

  /** The codes of errors (`error_code`) that the files list whose path contains a text. */
  errorCodes(inPath: string): readonly string[] {
    const texts = this.files.filter((file) => file.includes(inPath)).map((file) => this.program.getSourceFile(file)?.text ?? '');
    return [...new Set(texts.flatMap((text) => [...text.matchAll(/\berror_code: '(\w+)'/g)].map(([, code]) => code!)))];
  }

  private wireOf(type: ts.Type, within: readonly ts.Type[]): Wire {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown) || within.includes(type)) return { kind: 'any' };
    if (type.isUnion()) return this.unionOf(type, within);
    if (type.isStringLiteral()) return { kind: 'literal', value: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { kind: 'literal', value: this.checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.StringLike) return { kind: 'string' };
    if (type.flags & ts.TypeFlags.NumberLike) return { kind: 'number' };
    if (type.flags & ts.TypeFlags.Null) return { kind: 'null' };
    // `string & {}` is how the SDK writes "any other text".
    if (type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String)) return { kind: 'string' };
    const deeper = [...within, type];
    if (this.checker.isArrayType(type)) return { kind: 'list', item: this.wireOf(this.checker.getTypeArguments(type as ts.TypeReference)[0]!, deeper) };
    const members = type.getProperties().map((symbol) => {
      const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
      return [symbol.name, { optional, wire: this.wireOf(this.checker.getTypeOfSymbol(symbol), deeper) }] as const;
    });
    return { kind: 'object', open: this.checker.getIndexInfosOfType(type).length > 0, members: new Map(members) };
  }

  private unionOf(type: ts.UnionType, within: readonly ts.Type[]): Wire {
    const present = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const isFlag = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.BooleanLiteral) !== 0;
    const options = present.filter((one) => !isFlag(one)).map((one) => this.wireOf(one, within));
    const flags = present.filter(isFlag);
    const all: readonly Wire[] = flags.length === 2 ? [...options, { kind: 'boolean' }] : [...options, ...flags.map((one) => this.wireOf(one, within))];
    return all.length === 1 ? all[0]! : { kind: 'union', options: all };
  }
}

/** The texts that a type lists. */
export function literalsOf(wire: Wire): readonly string[] {
  if (wire.kind === 'union') return wire.options.flatMap(literalsOf);
  return wire.kind === 'literal' && typeof wire.value === 'string' ? [wire.value] : [];
}

/** Whether null is a value of the type. */
export const allowsNull = (wire: Wire): boolean => wire.kind === 'null' || wire.kind === 'any' || (wire.kind === 'union' && wire.options.some(allowsNull));

/** The names of all members at any depth. */
export function allMembers(wire: Wire, names = new Set<string>()): ReadonlySet<string> {
  if (wire.kind === 'list') allMembers(wire.item, names);
  if (wire.kind === 'union') for (const option of wire.options) allMembers(option, names);
  if (wire.kind === 'object') for (const [name, member] of wire.members) allMembers(member.wire, names.add(name));
  return names;
}

/** A value of the type, with nothing that may be missing. Its texts fit the patterns of ids and names. */
export function sample(wire: Wire): unknown {
  switch (wire.kind) {
    case 'string':
      return 'srvtoolu_1';
    case 'number':
      return 50_000;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'any':
      return {};
    case 'literal':
      return wire.value;
    case 'list':
      return [sample(wire.item)];
    case 'union':
      return sample(wire.options.find(({ kind }) => kind !== 'null') ?? { kind: 'null' });
    case 'object':
      return Object.fromEntries([...wire.members].flatMap(([name, member]) => (member.optional ? [] : [[name, sample(member.wire)]])));
  }
}
