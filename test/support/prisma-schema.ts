/** What prisma/schema.prisma says about the tables, in the words of the Postgres catalogue. Only as much of the format is read as the file uses; anything else is an error. */
export interface Table {
  /** Name → type, `not null`, `default`: one text per column. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns of the primary key, of each unique constraint, of each index by its name. */
  readonly keys: readonly string[];
  /** `columns -> table (columns)` */
  readonly references: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Bytes: 'bytea',
  Json: 'jsonb',
  '@db.Json': 'json',
  '@db.Uuid': 'uuid',
  '@db.Date': 'date',
  '@db.Timestamptz(3)': 'timestamp(3) with time zone',
};

interface Field {
  readonly name: string;
  readonly type: string;
  readonly modifier: string;
  readonly attributes: string;
}

interface Model {
  readonly name: string;
  readonly table: string;
  readonly fields: readonly Field[];
  readonly attributes: readonly string[];
}

export function tablesOf(schema: string): Readonly<Record<string, Table>> {
  const models = [...schema.matchAll(/^model (\w+) \{\n([^]*?)^\}/gm)].map(([, name, body]) => modelOf(name!, body!));
  return Object.fromEntries(models.map((model) => [model.table, tableOf(model, models)]));
}

function modelOf(name: string, body: string): Model {
  const lines = body.split('\n').map((line) => line.replace(/\/\/.*$/, '').trim());
  const attributes = lines.filter((line) => line.startsWith('@@'));
  const fields = lines
    .filter((line) => line !== '' && !line.startsWith('@@'))
    .map((line): Field => {
      const [, field, type, modifier, rest] = /^(\w+)\s+(\w+(?:\("\w+"\))?)(\?|\[\])?(?:\s+(.*))?$/.exec(line) ?? [];
      if (field === undefined) throw new Error(`This line of model ${name} cannot be read: ${line}`);
      return { name: field, type: type!, modifier: modifier ?? '', attributes: rest ?? '' };
    });
  return { name, table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name, fields, attributes };
}

function tableOf(model: Model, models: readonly Model[]): Table {
  const isOfModel = ({ type }: Field): boolean => models.some(({ name }) => name === type);
  const columns = model.fields.filter((field) => !isOfModel(field));
  const keys = [
    ...columns.flatMap((field) => (field.attributes.includes('@id') ? [`primary key (${columnOf(field)})`] : [])),
    ...columns.flatMap((field) => (field.attributes.includes('@unique') ? [`unique (${columnOf(field)})`] : [])),
    ...model.attributes.flatMap((attribute) => keyOf(attribute, model)),
  ];
  const references = model.fields.filter(isOfModel).flatMap(({ type, attributes }) => {
    const [, own, others] = /fields: (\[[^\]]*\]), references: (\[[^\]]*\])/.exec(attributes) ?? [];
    const other = models.find(({ name }) => name === type)!;
    return own === undefined ? [] : [`(${columnsIn(own, model)}) -> ${other.table} (${columnsIn(others!, other)})`];
  });
  return { columns: Object.fromEntries(columns.map((field) => [columnOf(field), describe(field)])), keys: keys.toSorted(), references: references.toSorted() };
}

function keyOf(attribute: string, model: Model): readonly string[] {
  const [, kind, columns] = /^@@(\w+)\((\[[^\]]*\])?/.exec(attribute) ?? [];
  if (kind === 'map') return [];
  if (kind === 'id') return [`primary key (${columnsIn(columns!, model)})`];
  if (kind === 'unique') return [`unique (${columnsIn(columns!, model)})`];
  const [, name] = /map: "(\w+)"/.exec(attribute) ?? [];
  if (kind !== 'index' || name === undefined) throw new Error(`This attribute of model ${model.name} cannot be read: ${attribute}`);
  return [`index ${name} (${columnsIn(columns!, model)})`];
}

const columnsIn = (list: string, model: Model): string =>
  [...list.matchAll(/\w+/g)].map(([name]) => columnOf(model.fields.find((field) => field.name === name)!)).join(', ');

const columnOf = ({ name, attributes }: Field): string => /(?<!\w)@map\("(\w+)"\)/.exec(attributes)?.[1] ?? name;

function describe({ name, type, modifier, attributes }: Field): string {
  const native = /@db\.\w+(?:\(\d+\))?/.exec(attributes)?.[0];
  const known = /^Unsupported\("(\w+)"\)$/.exec(type)?.[1] ?? TYPES[native ?? type];
  if (known === undefined) throw new Error(`The type of the field ${name} is not known here: ${type} ${native ?? ''}`);
  // Prisma does not say of a list whether it may be null.
  return [`${known}${modifier === '[]' ? '[]' : ''}`, modifier === '' ? 'not null' : '', attributes.includes('@default(') ? 'default' : '']
    .filter(Boolean)
    .join(' ');
}
