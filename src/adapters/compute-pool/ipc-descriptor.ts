/** File descriptor of the line between the two processes; what is printed goes elsewhere. */
export const LINE = 3;
