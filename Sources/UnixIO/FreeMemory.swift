import CUnixIO

/// Gives the memory that the allocator keeps, and that nothing uses, back to the system.
package func returnFreeMemory() { unix_trim_memory() }
