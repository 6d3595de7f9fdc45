import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type Attributes,
  type Backlog,
  type CounterName,
  type DatabaseNodes,
  type GaugeName,
  type Labels,
  type Span,
  type SpanKind,
  Telemetry,
  type TimerName,
} from '../../ports/index.js';
import { backlogGauges } from './backlog-gauges.js';
import { currentFields, withFields } from './log-fields.js';
import { nodeGauges } from './node-gauges.js';
import { inSpan, inTrace, noteEvent, traceparentHere } from './spans.js';

interface Metric {
  readonly help: string;
  readonly labelNames: readonly string[];
}

const COUNTERS: Readonly<Record<CounterName, Metric>> = {
  http_requests: { help: 'HTTP requests answered.', labelNames: ['method', 'route', 'status'] },
  turns: { help: 'Turns that ended.', labelNames: ['outcome', 'dispatch'] },
  model_requests: { help: 'Model requests.', labelNames: ['outcome'] },
  model_tokens: { help: 'Tokens as the model API counted them.', labelNames: ['kind'] },
  payloads: {
    help: 'Payloads of model requests: continued from the last one of this process (`sent`), from its record in the log (`recorded`), or of the whole conversation (`whole`).',
    labelNames: ['made'],
  },
  hook_runs: { help: 'Hooks run.', labelNames: ['event', 'outcome'] },
  prompt_keywords: { help: 'Prompts that contain a watched keyword.', labelNames: ['kind'] },
  compactions: { help: 'Completed compactions.', labelNames: ['trigger'] },
  titles: { help: 'Titles that the model was asked for.', labelNames: ['outcome'] },
  anchors: { help: 'Checkpoints put outside the database.', labelNames: ['outcome'] },
  audits: { help: 'Audits of the transparency log and of sessions.', labelNames: ['subject', 'outcome'] },
  refused_logs: { help: 'Reads that were refused because the log of the session is not what was recorded.', labelNames: ['kind'] },
  live_received: {
    help: 'Live updates received from other processes: hints, deltas for readers here, and deltas for others, which are not parsed.',
    labelNames: ['kind'],
  },
  requests_refused: {
    help: 'Requests refused because their tenant had too many in progress: its lane was `full`, their wait too `late`, or their client `gone`.',
    labelNames: ['reason'],
  },
  blob_store_operations: {
    help: 'Operations on the object storage of files, in this process without those of its computations and images.',
    labelNames: ['operation', 'outcome'],
  },
  archive_operations: {
    help: 'Logs of cold sessions archived and restored, in this process without its computations: `completed`, `refused` because the session has changed, or `damaged` in the object storage.',
    labelNames: ['operation', 'outcome'],
  },
  replica_reads: {
    help: 'Reads for standbys, in this process without its computations: answered by a `standby`, or by the primary, and why.',
    labelNames: ['outcome'],
  },
  erased_sessions: { help: 'Sessions erased in the background.', labelNames: ['cause'] },
  erasure_rounds: { help: 'Rounds of erasures in the background.', labelNames: ['outcome'] },
  schedule_runs: { help: 'Runs of schedules of prompts.', labelNames: ['outcome'] },
  tlog_leaves: { help: 'Events added to the transparency log.', labelNames: [] },
  tool_calls: { help: 'Tool calls run by this server.', labelNames: ['tool', 'outcome'] },
  attachments: { help: 'Attachments of providers, and providers that failed or timed out.', labelNames: ['provider', 'outcome'] },
};

const TIMERS: Readonly<Record<TimerName, Metric>> = {
  http_request_seconds: { help: 'Duration of HTTP requests, to the end of the response.', labelNames: ['method', 'route'] },
  turn_seconds: { help: 'Duration of turns.', labelNames: ['outcome'] },
  model_request_seconds: { help: 'Duration of model requests, to the end of the response.', labelNames: ['outcome'] },
  prompt_wait_seconds: { help: 'Time between the acceptance of a prompt and the start of its turn.', labelNames: [] },
  prompt_stage_seconds: { help: 'Stages of a prompt between acceptance and the first request, by their checkpoints.', labelNames: ['stage'] },
  first_delta_seconds: { help: 'Time between the acceptance of a prompt and the first delta of its answer.', labelNames: ['queued'] },
  hook_seconds: { help: 'Duration of hook runs.', labelNames: ['event', 'outcome'] },
  tool_seconds: { help: 'Tool calls run by this server.', labelNames: ['tool', 'outcome'] },
};

const GAUGES: Readonly<Record<GaugeName, Metric>> = {
  tlog_late_seconds: { help: 'For how long no event could be added to the transparency log.', labelNames: [] },
  audit_lag_leaves: { help: 'Events in the transparency log that the recurring audit has not reached.', labelNames: [] },
  erasure_oldest_due_seconds: { help: 'How long ago the oldest retention ended of a session that could not be erased.', labelNames: [] },
  blob_removals_due: { help: 'Objects of files that are erased, or were never stored completely, which are still in the object storage.', labelNames: [] },
  blob_removals_oldest_seconds: { help: 'For how long the oldest of these objects has been due for removal.', labelNames: [] },
  archived_logs: { help: 'Logs of cold sessions in the object storage.', labelNames: [] },
  archived_bytes: { help: 'Their bytes, as stored.', labelNames: [] },
  archive_oldest_due_seconds: { help: 'For how long the oldest log has been due that could not be archived.', labelNames: [] },
  event_streams: { help: 'Open event streams.', labelNames: [] },
  turns_running: { help: 'Turns that run in this process.', labelNames: [] },
  session_cache_sessions: { help: 'Folded sessions kept in the memory of this process.', labelNames: [] },
  requests_waiting: { help: 'Requests that wait because their tenant, or all, have as many in progress as may be.', labelNames: [] },
  session_cache_bytes: { help: 'Approximate size of the folded sessions kept in memory.', labelNames: [] },
};

const PREFIX = 'verbatim_';
/** Gauges of prom-client with the suffix of counters; `nodejs_active_resources` and the others have the same numbers by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];
const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];

/** Metrics for Prometheus, log fields, and OpenTelemetry spans. */
export class PrometheusTelemetry extends Telemetry {
  readonly #registry = new Registry();
  readonly #counters = mapOf(COUNTERS, (name, metric) => new Counter(this.#named(`${name}_total`, metric)));
  readonly #timers = mapOf(TIMERS, (name, metric) => new Histogram({ ...this.#named(name, metric), buckets: SECONDS }));
  readonly #gauges = mapOf(GAUGES, (name, metric) => new Gauge(this.#named(name, metric)));

  /** `backlog` and `nodes`, those of a distributed database, are read at each scrape. */
  constructor(backlog?: Backlog, nodes?: DatabaseNodes | null) {
    super();
    collectDefaultMetrics({ register: this.#registry }); // process_* and nodejs_*, as every Node service has them
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    if (backlog) backlogGauges(backlog, this.#registry, PREFIX);
    if (nodes) nodeGauges(nodes, this.#registry, PREFIX);
  }

  override within<T>(fields: Labels, work: () => T): T {
    return withFields(fields, work);
  }

  override fields(): Labels {
    return currentFields();
  }

  override span<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>, kind?: SpanKind): Promise<T> {
    return inSpan(name, attributes, work, kind);
  }

  override event(name: string, at?: number): void {
    noteEvent(name, at);
  }

  override traceContext(): string | null {
    return traceparentHere();
  }

  override continued<T>(traceparent: string | null, work: () => T): T {
    return inTrace(traceparent, work);
  }

  override count(name: CounterName, labels: Labels, by = 1): void {
    this.#counters[name].inc(labels, by);
  }

  override observe(name: TimerName, labels: Labels, seconds: number): void {
    this.#timers[name].observe(labels, seconds);
  }

  override gauge(name: GaugeName, value: number): void {
    this.#gauges[name].set(value);
  }

  override async exposition(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #named(name: string, { help, labelNames }: Metric) {
    return { name: PREFIX + name, help, labelNames: [...labelNames], registers: [this.#registry] };
  }
}

function mapOf<Name extends string, Made>(metrics: Readonly<Record<Name, Metric>>, make: (name: string, metric: Metric) => Made): Readonly<Record<Name, Made>> {
  return Object.fromEntries(Object.entries<Metric>(metrics).map(([name, metric]) => [name, make(name, metric)])) as Record<Name, Made>;
}
