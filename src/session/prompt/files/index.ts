/**
 * Images and documents of a prompt, in the order of their way:
 *
 * 1. `given-files`: finds the files of a request, rejects blocks and sources that cannot be sent, and limits their number;
 * 2. `inspect-file`: reads type and size from the first bytes of each; bytes are then stored as blobs (src/engine/commands/store-uploads);
 * 3. `given-files` again: the submission names the stored blobs instead of the bytes;
 * 4. `prompt-files`: lists the files of a stored submission, with the names that users read in errors;
 * 5. `fit-files`: the size that each image must have for the model; images are decoded and scaled to it (src/engine/turn/prepare/fit-media, src/engine/images).
 */
export * from './given-files.js';
export * from './inspect-file.js';
export * from './prompt-files.js';
export * from './fit-files.js';
export * from './content-files.js';
