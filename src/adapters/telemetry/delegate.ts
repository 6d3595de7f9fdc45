/** Stands in for a port: these members in place of its own, everything else, whatever the port may have one day, as it is. */
export function around<Port extends object>(port: Port, instead: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(instead, name)) return instead[name as keyof Port];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
