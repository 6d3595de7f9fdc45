/** A port with some members replaced; all other members, also future ones, are the port's own. */
export function delegate<Port extends object>(port: Port, replaced: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(replaced, name)) return replaced[name as keyof Port];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
