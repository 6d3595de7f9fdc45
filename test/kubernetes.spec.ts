import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings, SETTING_NAMES } from '../src/platform/config/env.js';

const BASE = 'ops/kubernetes/base';
const PRODUCTION = 'ops/kubernetes/production';
const PAGE = 'docs/how-to/run-on-kubernetes.md';

type Labels = Readonly<Record<string, string>>;

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly object[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Pod {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly automountServiceAccountToken: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext: object;
    readonly containers: readonly [Container];
    readonly volumes: readonly { readonly name: string; readonly emptyDir: { readonly sizeLimit: string } }[];
  };
}

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec: {
    readonly template?: Pod;
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly podSelector?: { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly name: string; readonly targetPort: string }[];
    readonly rules?: readonly {
      readonly http: {
        readonly paths: readonly { readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } } }[];
      };
    }[];
  };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly labels?: readonly { readonly pairs: Labels; readonly includeSelectors: boolean }[];
  readonly images: readonly { readonly name: string }[];
  readonly replicas?: readonly { readonly name: string }[];
  readonly patches?: readonly { readonly path: string }[];
  readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
}

/** The versions of Kubernetes' own kinds that are used. */
const VERSIONS: Labels = {
  Deployment: 'apps/v1',
  Ingress: 'networking.k8s.io/v1',
  Job: 'batch/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
  ServiceAccount: 'v1',
};

const text = (...parts: readonly string[]): string => readFileSync(path.join(...parts), 'utf8');
const kustomizationIn = (folder: string): Kustomization => parse(text(folder, 'kustomization.yaml')) as Kustomization;
const resourcesIn = (folder: string): readonly Resource[] =>
  kustomizationIn(folder)
    .resources.filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(text(folder, name), { uniqueKeys: true, strict: true }).map((document) => document.toJS() as Resource));

/** The lines NAME=value of a file, or of the block of a page. */
const linesOf = (content: string): Labels => Object.fromEntries([...content.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));

const production = kustomizationIn(PRODUCTION);
const resources = [...resourcesIn(BASE), ...resourcesIn(PRODUCTION)];
const workloads = resources.filter(({ spec }) => spec?.template);
const deployments = resources.filter(({ kind }) => kind === 'Deployment');
const containerOf = ({ spec }: Resource): Container => spec.template!.spec.containers[0];
const matches = (selector: Labels, labels: Labels): boolean => Object.entries(selector).every(([name, value]) => labels[name] === value);
const selectorOf = ({ spec }: Resource): Labels | undefined =>
  spec?.podSelector ? (spec.podSelector.matchLabels ?? {}) : (spec?.selector?.matchLabels ?? (spec?.selector as Labels | undefined));

const secrets = (): Labels => linesOf(/```ini\n([^`]*DATABASE_URL[^`]*)```/.exec(text(PAGE))?.[1] ?? '');
const settingsOf = (folders: readonly string[]): Labels =>
  Object.assign({}, ...folders.map((folder) => linesOf(text(folder, 'settings.env'))), secrets()) as Labels;
const bytes = (quantity: string): number => {
  const [, number, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(number) * { Mi: 2 ** 20, Gi: 2 ** 30, '': Number.NaN }[unit]!;
};

describe('the manifests for Kubernetes', () => {
  let commands: readonly string[];
  beforeAll(async () => {
    commands = Object.keys(((await import(new URL('../../bin/commands.mjs', import.meta.url).href)) as { COMMANDS: object }).COMMANDS);
  });

  it.each([BASE, PRODUCTION])('all files of %s are named by its kustomization, and all that it names are there', (folder) => {
    const { resources: listed, patches = [], configMapGenerator } = kustomizationIn(folder);
    const named = [...listed, ...patches.map((patch) => patch.path), ...configMapGenerator.flatMap(({ envs }) => envs)];
    expect(named.filter((name) => !existsSync(path.join(folder, name)))).toEqual([]);
    expect(readdirSync(folder).filter((name) => name !== 'kustomization.yaml')).toEqual(named.filter((name) => !name.startsWith('..')).toSorted());
  });

  it('are resources of versions that exist, each with a name of its own', () => {
    expect(resources.map(({ kind, apiVersion }) => `${kind} ${apiVersion}`)).toEqual(resources.map(({ kind }) => `${kind} ${VERSIONS[kind]}`));
    const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of resources) expect(metadata.name).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
    expect(production.replicas!.map(({ name }) => name).toSorted()).toEqual(deployments.map(({ metadata }) => metadata.name).toSorted());
  });

  it('select pods that there are, and a budget and a policy cover those of every deployment', () => {
    const [added] = kustomizationIn(BASE).labels!;
    expect(added!.includeSelectors).toBe(true);
    const pods = workloads.map(({ spec }) => ({ ...spec.template!.metadata.labels, ...added!.pairs }));
    for (const resource of resources) {
      const selector = selectorOf(resource);
      if (selector !== undefined) expect([resource.metadata.name, pods.some((labels) => matches(selector, labels))]).toEqual([resource.metadata.name, true]);
    }
    for (const { spec } of deployments) {
      const labels = spec.template!.metadata.labels;
      expect(matches(spec.selector!.matchLabels!, labels)).toBe(true);
      for (const kind of ['PodDisruptionBudget', 'NetworkPolicy']) {
        expect(resources.some((one) => one.kind === kind && Object.keys(selectorOf(one)!).length > 0 && matches(selectorOf(one)!, labels))).toBe(true);
      }
    }
  });

  it('lead requests and probes to ports and routes of the server', () => {
    const api = text('clients/typescript/src/api.ts');
    const { PORT } = settingsOf([BASE]);
    for (const deployment of deployments) {
      const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
      expect(ports).toEqual([{ name: 'http', containerPort: Number(PORT) }]);
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        expect(probe!.httpGet.port).toBe('http');
        expect(api).toContain(`"${probe!.httpGet.path}": {`);
      }
      expect([livenessProbe!.httpGet.path, readinessProbe!.httpGet.path]).toEqual(['/health/live', '/health/ready']);
    }
    const services = resources.filter(({ kind }) => kind === 'Service');
    for (const { spec } of services) expect(spec.ports!.map(({ targetPort }) => targetPort)).toEqual(['http']);
    const backends = resources.flatMap(({ spec }) => spec?.rules ?? []).flatMap(({ http }) => http.paths.map(({ backend }) => backend.service));
    expect(backends).toHaveLength(1);
    for (const { name, port } of backends)
      expect(services.find(({ metadata }) => metadata.name === name)?.spec.ports!.map((one) => one.name)).toContain(port.name);
  });

  it('have settings that exist and are usable, together with the secrets of the page', () => {
    for (const folders of [[BASE], [BASE, PRODUCTION]]) {
      const given = settingsOf(folders);
      expect(Object.keys(given).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
      for (const deployment of deployments) {
        const own = Object.fromEntries(containerOf(deployment).env!.map(({ name, value }) => [name, value]));
        expect(readSettings({ ...given, ...own })).toMatchObject({
          HOST: '0.0.0.0',
          PORT: 3000,
          ROLE: deployment.metadata.labels!['app.kubernetes.io/component'],
        });
      }
    }
    expect(Object.keys(secrets()).length).toBeGreaterThan(3);
    expect(text(PAGE)).toContain('create secret generic verbatim-secrets');
    for (const workload of workloads)
      expect(containerOf(workload).envFrom).toEqual([{ configMapRef: { name: 'verbatim-settings' } }, { secretRef: { name: 'verbatim-secrets' } }]);
    for (const folder of [BASE, PRODUCTION]) expect(kustomizationIn(folder).configMapGenerator.map(({ name }) => name)).toEqual(['verbatim-settings']);
  });

  it('run the image with its own command, or a command of verbatim', () => {
    const dockerfile = text('Dockerfile');
    for (const workload of workloads) {
      const { image, command } = containerOf(workload);
      expect(image).toBe('verbatim');
      if (command) expect([command.slice(0, 2), commands.includes(command[2]!)]).toEqual([['node', 'bin/verbatim'], true]);
    }
    expect(dockerfile).toMatch(/^CMD \["node", "bin\/verbatim", "start"\]$/m);
    for (const folder of [BASE, PRODUCTION]) expect(kustomizationIn(folder).images.map(({ name }) => name)).toEqual(['verbatim']);
    expect(workloads.filter((workload) => containerOf(workload).command?.[2] === 'migrate').map(({ kind }) => kind)).toEqual(['Job']);
  });

  it('run without rights: not as root, on a root that cannot be written, with room where the server writes', () => {
    const { DATA_DIR } = settingsOf([BASE]);
    for (const workload of workloads) {
      const { spec } = workload.spec.template!;
      const container = containerOf(workload);
      expect(spec).toMatchObject({
        serviceAccountName: 'verbatim',
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
      expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(spec.volumes.map(({ name }) => name).toSorted());
      const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
      expect(mounted).toEqual(workload.kind === 'Job' ? ['/tmp'] : ['/tmp', DATA_DIR]);
      expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory']);
    }
  });

  it('give a pod the memory, the time to start and the time to stop that its settings ask for', () => {
    const patched = (parse(text(PRODUCTION, 'pods.yaml')) as Resource).spec.template!.spec.terminationGracePeriodSeconds!;
    for (const deployment of deployments) {
      const { startupProbe, resources: sizes, volumeMounts } = containerOf(deployment);
      const own = deployment.spec.template!.spec;
      for (const [folders, grace] of [[[BASE], own.terminationGracePeriodSeconds!] as const, [[BASE, PRODUCTION], patched] as const]) {
        const settings = readSettings(settingsOf(folders));
        expect(grace * 1_000).toBeGreaterThanOrEqual(2 * settings.SHUTDOWN_GRACE_MS + settings.SHUTDOWN_LINGER_MS + 5_000);
        expect(startupProbe!.periodSeconds * startupProbe!.failureThreshold * 1_000).toBeGreaterThan(settings.START_TIMEOUT_MS);
        // The heap of the process, about a gigabyte, beside its compute and image processes.
        const others = settings.COMPUTE_PROCESSES * settings.COMPUTE_MEMORY_MB + settings.IMAGE_CONCURRENCY * 180;
        expect(bytes(sizes.limits['memory']!)).toBeGreaterThanOrEqual((1_024 + others) * 2 ** 20);
        const spool = own.volumes.find(({ name }) => name === volumeMounts.find(({ mountPath }) => mountPath === '/tmp')!.name)!;
        expect(bytes(spool.emptyDir.sizeLimit)).toBeGreaterThanOrEqual(4 * settings.MAX_IMPORT_BYTES);
      }
    }
  });
});
