import type { ICommandHandler } from '@nestjs/cqrs';
import { type DynamicModule, type FactoryProvider, Module, type Type } from '@nestjs/common';
import type { CommandType } from './commands/define-command.js';
import type { BackgroundWork } from './dispatch/background-work.js';

/** What a feature consists of, by who needs it. Ports, settings, the engine and the command bus are provided by global modules. */
export interface FeatureParts {
  /** Controllers. A process with ROLE=worker does not serve them. */
  readonly routes?: readonly Type[];
  /** Controllers that every process serves. */
  readonly probes?: readonly Type[];
  /** What only the routes use. */
  readonly routeServices?: readonly Type[];
  /** The ports that the feature implements, for all modules. */
  readonly ports?: readonly FactoryProvider[];
  /** Its commands: the class made by `defineCommand`, or the handler of one that has a handler class. */
  readonly commands?: readonly CommandEntry[];
  /** What handlers and background work use. */
  readonly services?: readonly Type[];
  /** Started in processes that run turns. */
  readonly background?: readonly Type<BackgroundWork>[];
}

/** A command with a rule, or the handler of one. */
export type CommandEntry = CommandType | Type<ICommandHandler>;

/** What the command bus gets. */
export function handlersOf(commands: readonly CommandEntry[]): readonly Type<ICommandHandler>[] {
  return commands.map((entry) => {
    if (!('action' in entry)) return entry;
    if (entry.handler === null) throw new Error(`${entry.name} has no rule; list the class that handles it.`);
    return entry.handler;
  });
}

const PARTS = new WeakMap<Type, FeatureParts>();

/** Makes the class the Nest module of a feature. `src/features.ts` lists them. */
export function Feature(parts: FeatureParts): (type: Type) => void {
  return (type) => {
    PARTS.set(type, parts);
    Module({})(type);
  };
}

/** What the feature registers. */
export function partsOf(feature: Type): FeatureParts {
  const parts = PARTS.get(feature);
  if (parts === undefined) throw new Error(`${feature.name} is no feature; give the class @Feature({ … }).`);
  return parts;
}

/** The module of the feature as a process serves it. */
export function featureModule(feature: Type, api: boolean): DynamicModule {
  const { ports = [], commands = [], services = [], background = [] } = partsOf(feature);
  const { controllers, providers = [] } = routesModule(feature, api);
  return {
    module: feature,
    global: true,
    controllers: controllers ?? [],
    providers: [...providers, ...ports, ...handlersOf(commands), ...services, ...background],
    exports: [...ports, ...background],
  };
}

/** The routes of the feature alone, on ports that another module provides. */
export function routesModule(feature: Type, api: boolean): DynamicModule {
  const { routes = [], probes = [], routeServices = [] } = partsOf(feature);
  return { module: feature, controllers: [...(api ? routes : []), ...probes], providers: api ? [...routeServices] : [] };
}
