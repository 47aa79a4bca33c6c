namespace Broker.Streams.Tests.Simulation;

/// <summary>The machine or the process has ended in the middle of an operation.</summary>
internal sealed class SimulatedCrash : Exception;
