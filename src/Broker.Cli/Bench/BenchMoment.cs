namespace Broker.Cli.Bench;

/// <summary>The counts at one moment.</summary>
/// <param name="Time">A time stamp of <see cref="System.Diagnostics.Stopwatch"/>.</param>
/// <param name="Messages">The published messages, or the replies.</param>
/// <param name="Bytes">The bytes of their bodies.</param>
/// <param name="Received">The messages that the subscribers have received.</param>
internal readonly record struct BenchMoment(long Time, long Messages, long Bytes, long Received);
