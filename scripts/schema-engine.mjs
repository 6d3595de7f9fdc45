// Prisma's schema engine as WebAssembly over the pg driver adapter: no engine binary, no download.
// @prisma/schema-engine-wasm must carry the commit hash that `npm run prisma -- --version` prints.
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

const CHAR = 18; // type ids of the Postgres catalogue
const TEXT = 25;

/** Opens the engine on the database at `url`; `schemaFiles` as the CLI sends them: `{ path, content }[]`. */
export async function openEngine(url, schemaFiles) {
  globalThis.PRISMA_WASM_PANIC_REGISTRY ??= { set_message: (message) => console.error('schema engine panic:', message) };
  // The package's own entry point needs an experimental Node flag; its parts do not.
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = await import(entry);
  const binary = readFileSync(path.join(path.dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(binary, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue.SchemaEngine.new(
    { datamodels: schemaFiles?.map((file) => [file.path, file.content]) },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new ShadowSafePrismaPg(url)),
  );
}

/** PrismaPg drops its shadow database while still connected to it, and given a URL it would take the main database as shadow. */
class ShadowSafePrismaPg extends PrismaPg {
  #settings;

  constructor(url) {
    const settings = parseIntoClientConfig(url);
    super(settings);
    this.#settings = settings;
  }

  async connect() {
    return repaired(await super.connect());
  }

  async connectToShadowDb() {
    const name = `prisma_migrate_shadow_db_${randomUUID()}`;
    await this.#administer(`CREATE DATABASE "${name}"`);
    const shadow = repaired(await new PrismaPg({ ...this.#settings, database: name }).connect());
    const disconnect = shadow.dispose.bind(shadow);
    shadow.dispose = async () => {
      await disconnect();
      await this.#administer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    };
    return shadow;
  }

  async #administer(sql) {
    const client = new pg.Client(this.#settings);
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}

/** Two faults of PrismaPg 7.10 that only the schema engine meets. */
function repaired(adapter) {
  const { queryRaw } = adapter;
  // It cannot decode the catalogue's one-byte "char", which introspection always reads on Postgres 18.
  adapter.queryRaw = async function (query) {
    let types = [];
    const asText = Object.create(this, {
      performIO: {
        value: async (statement) => {
          const { rows, fields } = await this.performIO(statement);
          types = fields.map((field) => field.dataTypeID);
          return { rows, fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID: dataTypeID === CHAR ? TEXT : dataTypeID })) };
        },
      },
    });
    const result = await queryRaw.call(asText, query);
    result.columnTypes = result.columnTypes.map((type, index) => (types[index] === CHAR ? ColumnTypeEnum.Character : type));
    return result;
  };
  // It cuts scripts at every semicolon, also inside function bodies; one simple query runs the whole script, which is one transaction. Those of online migrations are paragraphs.
  adapter.executeScript = async function (script) {
    for (const part of /^-- online\s*$/m.test(script) ? script.split(/\n[ \t]*\n/) : [script]) {
      await this.client.query(part).catch((error) => this.onError(error)); // converted, so that the engine prints the server's message
    }
  };
  return adapter;
}
