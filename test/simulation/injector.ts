import 'reflect-metadata';

type Class = new (...args: never[]) => unknown;

/** Instantiates classes as Nest would, by the types of their constructor's parameters: a tenth of a millisecond a process instead of tens. */
export class Injector {
  readonly #instances = new Map<unknown, unknown>();

  provide(token: unknown, value: unknown): this {
    this.#instances.set(token, value);
    return this;
  }

  get<T>(type: (abstract new (...args: never[]) => T) | (new (...args: never[]) => T)): T {
    const known = this.#instances.get(type);
    if (known !== undefined) return known as T;
    const types = (Reflect.getMetadata('design:paramtypes', type) ?? []) as readonly unknown[];
    if (types.length < (type as unknown as Class).length) throw new Error(`no provider for ${type.name}, which is no injectable class`);
    const named = (Reflect.getMetadata('self:paramtypes', type) ?? []) as readonly { readonly index: number; readonly param: unknown }[];
    const tokens = types.map((parameter, index) => named.find((entry) => entry.index === index)?.param ?? parameter);
    const args = tokens.map((token) => {
      if (this.#instances.has(token)) return this.#instances.get(token);
      if (typeof token === 'function') return this.get(token as never);
      throw new Error(`no provider for ${String(token)}, which ${type.name} needs`);
    });
    const instance = new (type as unknown as Class)(...(args as never[]));
    this.#instances.set(type, instance);
    return instance as T;
  }
}
