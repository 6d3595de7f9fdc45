import { Model, type ModelAnswer, type ModelDelta, type ModelRequest, type Telemetry } from '../../core/ports.js';

/** A model each of whose answers is a span. */
export class TracedModel extends Model {
  constructor(
    private readonly model: Model,
    private readonly telemetry: Telemetry,
  ) {
    super();
  }

  override get provider(): Model['provider'] {
    return this.model.provider;
  }

  override answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer> {
    const { workload } = this.telemetry.fields();
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': this.model.provider,
      requestId: request.requestId,
      ordinal: String(request.ordinal),
      ...(workload === undefined ? {} : { workload }),
    };
    return this.telemetry.span('model request', { kind: 'client', attributes }, async (span) => {
      const answer = await this.model.answer(request, onDelta, signal);
      const { usage, message, providerRequestId } = answer;
      span.annotate({
        'gen_ai.response.model': message.model,
        'gen_ai.response.finish_reasons': String(message.stop_reason),
        'gen_ai.usage.input_tokens': String(usage.input_tokens ?? 0),
        'gen_ai.usage.output_tokens': String(usage.output_tokens ?? 0),
        ...(providerRequestId === null ? {} : { providerRequestId }),
      });
      return answer;
    });
  }
}
