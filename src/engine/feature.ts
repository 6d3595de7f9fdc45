import 'reflect-metadata';
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
  /** Handlers of its commands that have a handler class. Those with a rule are found by the routes that name them. */
  readonly handlers?: readonly Type<ICommandHandler>[];
  /** What handlers and background work use. */
  readonly services?: readonly Type[];
  /** Started in processes that run turns. */
  readonly background?: readonly Type<BackgroundWork>[];
}

/** Metadata key of the command that a route sends. */
export const SENDS = 'verbatim:sends';

/** The handlers of all commands with a rule that routes of the features send, each once: several features may send the same. */
export function ruleHandlers(features: readonly Type[]): readonly Type<ICommandHandler>[] {
  const methods = features.flatMap((feature) =>
    (partsOf(feature).routes ?? []).flatMap(({ prototype }) =>
      Object.values(Object.getOwnPropertyDescriptors(prototype as object)).map(({ value }) => value as unknown),
    ),
  );
  const sent = methods.flatMap((method) => (typeof method === 'function' ? [Reflect.getMetadata(SENDS, method) as CommandType | undefined] : []));
  return [...new Set(sent.flatMap((command) => command?.handler ?? []))];
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
  const { ports = [], handlers = [], services = [], background = [] } = partsOf(feature);
  const { controllers, providers = [] } = routesModule(feature, api);
  return {
    module: feature,
    global: true,
    controllers: controllers ?? [],
    providers: [...providers, ...ports, ...handlers, ...services, ...background],
    exports: [...ports, ...background],
  };
}

/** The routes of the feature alone, on ports that another module provides. */
export function routesModule(feature: Type, api: boolean): DynamicModule {
  const { routes = [], probes = [], routeServices = [] } = partsOf(feature);
  return { module: feature, controllers: [...(api ? routes : []), ...probes], providers: api ? [...routeServices] : [] };
}
