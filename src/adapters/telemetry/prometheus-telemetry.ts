import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type Attributes,
  type Backlog,
  type CounterName,
  type GaugeName,
  type Labels,
  type Span,
  type SpanKind,
  Telemetry,
  type TimerName,
} from '../../core/ports.js';
import { backlogGauges } from './backlog-gauges.js';
import { currentFields, withFields } from './log-fields.js';
import { inSpan, inTrace, noteEvent, traceparentHere } from './spans.js';

interface Figure {
  readonly help: string;
  readonly labelNames: readonly string[];
}

const COUNTERS: Readonly<Record<CounterName, Figure>> = {
  http_requests: { help: 'HTTP requests answered.', labelNames: ['method', 'route', 'status'] },
  turns: { help: 'Turns that came to an end.', labelNames: ['outcome'] },
  model_requests: { help: 'Calls of the model.', labelNames: ['outcome'] },
  model_tokens: { help: 'Tokens as the model API counted them.', labelNames: ['kind'] },
  hook_runs: { help: 'Hooks run.', labelNames: ['event', 'outcome'] },
  prompt_keywords: { help: 'Prompts that held a watched keyword.', labelNames: ['kind'] },
  compactions: { help: 'Conversations that go on behind a summary.', labelNames: ['trigger'] },
  tool_calls: { help: 'Calls of tools that this server ran.', labelNames: ['tool', 'outcome'] },
  attachments: { help: 'Attachments that providers gave, and providers that failed or were late.', labelNames: ['provider', 'outcome'] },
};

const TIMERS: Readonly<Record<TimerName, Figure>> = {
  http_request_seconds: { help: 'From an HTTP request to the end of its answer.', labelNames: ['method', 'route'] },
  turn_seconds: { help: 'From the start of a turn to its end.', labelNames: ['outcome'] },
  model_request_seconds: { help: 'From a call of the model to the end of its answer.', labelNames: ['outcome'] },
  prompt_wait_seconds: { help: 'From the acceptance of a prompt to the start of its turn.', labelNames: [] },
  prompt_stage_seconds: { help: 'Stages of a prompt between acceptance and the first request, by their checkpoints.', labelNames: ['stage'] },
  first_delta_seconds: { help: 'From the acceptance of a prompt to the first piece of an answer.', labelNames: ['queued'] },
  hook_seconds: { help: 'Runs of hooks.', labelNames: ['event', 'outcome'] },
  tool_seconds: { help: 'Calls of tools that this server ran.', labelNames: ['tool', 'outcome'] },
};

const GAUGES: Readonly<Record<GaugeName, Figure>> = {
  event_streams: { help: 'Event streams open now.', labelNames: [] },
  turns_running: { help: 'Turns that this process works on now.', labelNames: [] },
};

const PREFIX = 'verbatim_';
const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];

/** Figures for Prometheus, the fields that tie log lines together, and spans as OpenTelemetry has them. */
export class PrometheusTelemetry extends Telemetry {
  readonly #registry = new Registry();
  readonly #counters = mapOf(COUNTERS, (name, figure) => new Counter(this.#named(`${name}_total`, figure)));
  readonly #timers = mapOf(TIMERS, (name, figure) => new Histogram({ ...this.#named(name, figure), buckets: SECONDS }));
  readonly #gauges = mapOf(GAUGES, (name, figure) => new Gauge(this.#named(name, figure)));

  /** `backlog` is asked when the figures are. */
  constructor(backlog?: Backlog) {
    super();
    collectDefaultMetrics({ register: this.#registry, prefix: PREFIX });
    if (backlog) backlogGauges(backlog, this.#registry, PREFIX);
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

  #named(name: string, { help, labelNames }: Figure) {
    return { name: PREFIX + name, help, labelNames: [...labelNames], registers: [this.#registry] };
  }
}

function mapOf<Name extends string, Made>(figures: Readonly<Record<Name, Figure>>, make: (name: string, figure: Figure) => Made): Readonly<Record<Name, Made>> {
  return Object.fromEntries(Object.entries<Figure>(figures).map(([name, figure]) => [name, make(name, figure)])) as Record<Name, Made>;
}
