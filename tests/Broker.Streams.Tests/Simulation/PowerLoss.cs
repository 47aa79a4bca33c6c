namespace Broker.Streams.Tests.Simulation;

/// <summary>The changes without a sync that a disk keeps when the power fails.</summary>
internal enum PowerLoss
{
    LosesAll,
    KeepsAll,
    Sectors,
    Random,
}
