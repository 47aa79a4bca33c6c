namespace Broker.LoadTest.Soak;

/// <summary>The memory, disk, files and processor time of the server at one moment.</summary>
/// <param name="Minutes">The time since the start in minutes.</param>
/// <param name="DiskBytes">The length of all files of the streams.</param>
/// <param name="ResidentBytes">The resident memory.</param>
/// <param name="HeapBytes">The managed memory after its last garbage collection.</param>
/// <param name="Files">The open files; null if the system does not tell.</param>
/// <param name="ProcessorSeconds">The processor time since the start.</param>
internal readonly record struct SoakSample(double Minutes, long DiskBytes, long ResidentBytes, long HeapBytes, int? Files, double ProcessorSeconds);
