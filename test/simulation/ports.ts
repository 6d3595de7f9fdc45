export { Model, type ModelDelta, type ModelRequest } from '../../src/core/ports.js';
export { type ModelAnswer, ModelError } from '../../src/core/models/model-answer.js';
