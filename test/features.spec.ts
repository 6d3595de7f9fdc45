import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { CONTROLLER_WATERMARK, INJECTABLE_WATERMARK } from '@nestjs/common/constants.js';
import { existsSync } from 'node:fs';
import { Command } from '@nestjs/cqrs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ENGINE_HANDLERS } from '../src/engine/commands/index.js';
import { partsOf, ruleHandlers } from '../src/engine/feature.js';
import { FEATURES } from '../src/features.js';
import { classesIn, classesOf, compiled, source } from './support/classes.js';
import { ROUTES } from './support/documented.js';
import { examplesOf, requiredOf } from './support/example-bodies.js';

/** What `@CommandHandler` marks a class with; the package does not export it. */
const COMMAND_HANDLER = '__commandHandler__';

const is = (mark: string, type: Type): boolean => Reflect.hasOwnMetadata(mark, type);
const isRegistrable = (type: Type): boolean => [CONTROLLER_WATERMARK, INJECTABLE_WATERMARK, COMMAND_HANDLER].some((mark) => is(mark, type));

describe('a feature', () => {
  const folders = readdir(path.join(source, 'features'));

  it('has a module of its name, which src/features.ts lists', async () => {
    const unlisted: string[] = [];
    for (const folder of await folders) {
      const file = path.join(compiled, 'features', folder, `${folder}.module.js`);
      const modules = existsSync(file) ? await classesOf(file) : [];
      if (!modules.some((module) => FEATURES.includes(module))) unlisted.push(`src/features/${folder}/${folder}.module.ts`);
    }
    expect(unlisted).toEqual([]);
    expect((await folders).length).toBe(FEATURES.length);
  });

  it('registers every controller, command handler and injectable class of its folder', async () => {
    const unregistered: string[] = [];
    for (const folder of await folders) {
      const classes = await classesIn(`features/${folder}`);
      const own = classes.map(({ type }) => type).filter((type) => FEATURES.includes(type));
      const registered = new Set<unknown>(own.flatMap((module) => Object.values(partsOf(module)).flat()));
      unregistered.push(...classes.filter(({ type }) => isRegistrable(type) && !registered.has(type)).map(({ name }) => name));
    }
    expect(unregistered).toEqual([]);
  });
});

describe('a command', () => {
  const handlers = [...ENGINE_HANDLERS, ...FEATURES.flatMap((feature) => partsOf(feature).handlers ?? []), ...ruleHandlers(FEATURES)];
  const handled = new Set<unknown>(handlers.map((handler) => Reflect.getMetadata(COMMAND_HANDLER, handler) as unknown));
  // The handler of a rule is made for the class that `defineCommand` returns, which the class of the command extends.
  const isHandled = (type: Type): boolean => handled.has(type) || handled.has(Object.getPrototypeOf(type));
  const named = new Set<unknown>(ROUTES.map(({ route }) => route.command));
  const commands = Promise.all(['features', 'engine/commands'].map(classesIn)).then((classes) =>
    classes.flat().filter(({ type }) => type.prototype instanceof Command),
  );

  it('has a handler: its rule, or a class that is registered', async () => {
    expect((await commands).length).toBeGreaterThan(20);
    expect((await commands).filter(({ type }) => !isHandled(type)).map(({ name }) => name)).toEqual([]);
  });

  it('has a route', async () => {
    expect((await commands).filter(({ type }) => !named.has(type)).map(({ name }) => name)).toEqual([]);
  });
});

it('every command handler of the engine is registered', async () => {
  const registered = new Set<unknown>(ENGINE_HANDLERS);
  const handlers = (await classesIn('engine/commands')).filter(({ type }) => is(COMMAND_HANDLER, type));
  expect(handlers.length).toBeGreaterThan(5);
  expect(handlers.filter(({ type }) => !registered.has(type)).map(({ name }) => name)).toEqual([]);
});

/** Sent by `response.redirect`, which sets the status. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400;

describe('a route', () => {
  it('has a body with an id and with examples, which its schema accepts', () => {
    const faults = ROUTES.flatMap(({ handler, route, body }) => {
      if (route.body !== true) return body === undefined ? [] : [`${handler}: takes a body, and its @ApiRoute does not say so`];
      const examples = body ? examplesOf(body) : [];
      if (body?.meta()?.id === undefined || examples.length === 0) return [`${handler}: its body needs .meta({ id, examples })`];
      return examples.filter((example) => !body.safeParse(example).success).map((example) => `${handler}: not a valid example: ${JSON.stringify(example)}`);
    });
    expect(faults).toEqual([]);
  });

  it('has an example of every member that its query must have', () => {
    const faults = ROUTES.flatMap(({ handler, query }) =>
      (query ? requiredOf(query) : []).filter(([, example]) => example === undefined).map(([name]) => `${handler}: ${name}`),
    );
    expect(faults).toEqual([]);
  });

  it('answers with the status that it documents', () => {
    expect(
      ROUTES.filter(({ route, answers }) => route.status !== answers && !isRedirect(route.status)).map(
        ({ handler, route, answers }) => `${handler}: ${answers}, not ${route.status}`,
      ),
    ).toEqual([]);
  });

  it('that changes a session names the command that it sends', () => {
    const faults = ROUTES.filter(({ route, usesContext }) => usesContext && route.command === undefined).map(({ handler }) => handler);
    expect(faults).toEqual([]);
  });
});

it('no path of a route fits another route, so that their order does not matter', () => {
  const paths = ROUTES.map(({ method, path }) => ({ name: `${method} ${path}`, parts: [method, ...path.split('/')] }));
  const fits = (left: string, right: string): boolean => left === right || left.startsWith(':') || right.startsWith(':');
  const both = paths.flatMap((one, index) =>
    paths
      .slice(index + 1)
      .filter(({ parts }) => parts.length === one.parts.length && parts.every((part, place) => fits(part, one.parts[place]!)))
      .map(({ name }) => [one.name, name]),
  );
  expect(both).toEqual([]);
});
